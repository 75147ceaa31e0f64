import { isObject } from '../isObject';
import { isNothing, normal } from '../parameters/read';
import { compareDecimals, decimalOf } from './decimals';

type Comparable = 'a number' | 'a date';

/**
 * Whether a condition holds for the values of its field: several in a list, and none in an empty list or without the field.
 * Where a value cannot be compared, the kind that it should have.
 */
export type Holds = (values: readonly unknown[]) => boolean | Comparable;

type Decides = (values: readonly unknown[]) => boolean;

/** Any value is this text, or this number: 4900 is 4900.00. As text, 0012 is another ID than 12. */
export function is(text: string): Decides {
	const wanted = normal(text);
	const number = decimalOf(wanted);
	const isWanted = (value: unknown) => {
		if (normal(value) === wanted) return true;
		const other = typeof value === 'number' ? decimalOf(value) : undefined;
		return number !== undefined && other !== undefined && compareDecimals(number, other) === 0;
	};
	return (values) => values.some(isWanted);
}

/** Any value has this text inside. */
export function contains(text: string): Decides {
	const wanted = normal(text);
	return (values) => values.some((value) => normal(value).includes(wanted));
}

/** There is no value but null, blank text, and objects without fields. */
export const isEmpty: Decides = (values) =>
	values.every((value) => isNothing(value) || (isObject(value) && Object.keys(value).length === 0));

export function not(decides: Decides): Decides {
	return (values) => !decides(values);
}

/**
 * Any value is wanted. It reads every value that is not empty, so that a match does not hide one that cannot be compared.
 * @param read returns `undefined` for a value that is not of this kind.
 */
export function comparing<T>(
	kind: Comparable,
	read: (value: unknown) => T | undefined,
	isWanted: (value: T) => boolean,
): Holds {
	return (values) => {
		const present = values.filter((value) => !isNothing(value)).map(read);
		return present.includes(undefined) ? kind : present.some((value) => isWanted(value as T));
	};
}
