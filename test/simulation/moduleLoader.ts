import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { transformSync } from '@swc/core';

/** One line of the nodes, and what replaces it. */
export interface Breakage {
	/** Below nodes/. */
	file: string;
	line: string;
	instead: string;
}

/** What a process brings along: replacements of globals, and of exports of other packages. */
export interface Surroundings {
	globals?: object;
	packages?: Record<string, object>;
}

/** Loads files of the nodes, with module state of their own, and returns all that they export. */
type Loader = (entries: readonly string[], surroundings?: Surroundings) => object;

const NODES = path.resolve(__dirname, '../../nodes');
const GLOBALS = ['Date', 'Math', 'AbortSignal', 'performance'];
const requirePackage = createRequire(__filename);

type Module = (
	module: { exports: object },
	exports: object,
	load: (specifier: string) => unknown,
	...globals: unknown[]
) => void;

const sources = new Map<string, string>();

function sourceOf(file: string): string {
	const known = sources.get(file);
	if (known !== undefined) return known;
	const source = readFileSync(path.join(NODES, file), 'utf8');
	sources.set(file, source);
	return source;
}

function compiled(source: string): Module {
	const jsc = { parser: { syntax: 'typescript' }, target: 'es2022' } as const;
	const { code } = transformSync(source, { jsc, module: { type: 'commonjs' } });
	return new Function('module', 'exports', 'require', ...GLOBALS, code) as Module;
}

const unbroken = new Map<string, Module>();

/**
 * Returns a loader of the nodes as they are, or with one line broken on purpose. @throws when that line is not there once.
 */
export function loaderOf(breakage?: Breakage): Loader {
	const broken = breakage === undefined ? undefined : compiled(patched(breakage));
	const moduleOf = (file: string): Module => {
		if (broken !== undefined && file === breakage?.file) return broken;
		const known = unbroken.get(file) ?? compiled(sourceOf(file));
		unbroken.set(file, known);
		return known;
	};
	return (entries, { globals = {}, packages = {} } = {}) => {
		const loaded = new Map<string, object>();
		const values = GLOBALS.map((name) => Reflect.get(name in globals ? globals : globalThis, name) as unknown);
		const load = (file: string): object => {
			const known = loaded.get(file);
			if (known !== undefined) return known;
			const module = { exports: {} };
			loaded.set(file, module.exports);
			const loadFrom = (specifier: string): unknown =>
				specifier.startsWith('.')
					? load(`${path.posix.join(path.posix.dirname(file), specifier)}.ts`)
					: (packages[specifier] ?? (requirePackage(specifier) as object));
			moduleOf(file)(module, module.exports, loadFrom, ...values);
			return module.exports;
		};
		return Object.assign({}, ...entries.map(load)) as object;
	};
}

function patched({ file, line, instead }: Breakage): string {
	const source = sourceOf(file);
	if (source.split(line).length !== 2) throw new Error(`"${line}" is not in ${file} exactly once`);
	return source.replace(line, () => instead);
}
