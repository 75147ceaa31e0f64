import type { IDataObject } from 'n8n-workflow';
import { isObject, isObjectOrArray } from '../isObject';

// A person looks through fewer levels.
const MAX_LEVELS = 5;

// The fields inside a field repeat its name: a name of a megabyte with thousands inside would become gigabytes.
const MAX_PATH_LENGTH = 200;

/** A person looks through fewer names. The paths of millions of fields would take far more memory than their page. */
export const MAX_NAMES = 500;

/**
 * Returns the values at a path of own fields, without the lists around them; `undefined` without such a field. Each dot reaches
 * inside a field, and inside each entry of a list. The longest name with dots that leads to a value takes precedence.
 */
export function valuesAt(record: IDataObject, path: string): unknown[] | undefined {
	const values: unknown[] = [];
	return reach(values, record, path) ? values : undefined;
}

/** Adds the values at a path to one list, because a page may have millions, and returns whether there is such a field. */
function reach(values: unknown[], value: unknown, path?: string): boolean {
	if (Array.isArray(value)) {
		let isThere = path === undefined;
		for (const entry of value) isThere = reach(values, entry, path) || isThere;
		return isThere;
	}
	if (path === undefined) return values.push(value) > 0;
	if (!isObject(value)) return false;
	if (Object.hasOwn(value, path)) return reach(values, value[path]);
	return Object.keys(value)
		.filter((name) => path[name.length] === '.' && path.startsWith(name))
		.sort((one, other) => other.length - one.length)
		.some((name) => reach(values, value[name], path.slice(name.length + 1)));
}

/** Returns the first 500 different paths of a record's fields, and of the fields inside them, that are short enough to choose. */
export function pathsIn(record: IDataObject): string[] {
	const paths = new Set<string>();
	const visit = (value: unknown, prefix: string, levels: number) => {
		if (levels === 0 || !isObjectOrArray(value)) return;
		if (Array.isArray(value)) for (const entry of value) visit(entry, prefix, levels - 1);
		else {
			for (const name of Object.keys(value)) {
				if (paths.size === MAX_NAMES) return;
				if (prefix.length + name.length > MAX_PATH_LENGTH) continue;
				paths.add(prefix + name);
				visit(value[name], `${prefix}${name}.`, levels - 1);
			}
		}
	};
	visit(record, '', MAX_LEVELS);
	return [...paths];
}
