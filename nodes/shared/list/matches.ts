import { isObject } from '../isObject';
import { isNothing, normal } from '../parameters/read';
import { compareDecimals, decimalOf } from './decimals';

type Comparable = 'a number' | 'a date';

/**
 * Whether a condition holds for the values of its field. A list has several values; an empty list or a missing field has none.
 * Where a value cannot be compared, the result is the kind that the value should have.
 */
export type Holds = (values: readonly unknown[]) => boolean | Comparable;

type Test = (values: readonly unknown[]) => boolean;

/** Holds if any value is this text or this number: 4900 is 4900.00. As text, 0012 is another ID than 12. */
export function is(text: string): Test {
	const wanted = normal(text);
	const number = decimalOf(wanted);
	const isWanted = (value: unknown) => {
		if (normal(value) === wanted) return true;
		const other = typeof value === 'number' ? decimalOf(value) : undefined;
		return number !== undefined && other !== undefined && compareDecimals(number, other) === 0;
	};
	return (values) => values.some(isWanted);
}

export function contains(text: string): Test {
	const wanted = normal(text);
	return (values) => values.some((value) => normal(value).includes(wanted));
}

export const isEmpty: Test = (values) =>
	values.every((value) => isNothing(value) || (isObject(value) && Object.keys(value).length === 0));

export function not(test: Test): Test {
	return (values) => !test(values);
}

/**
 * Holds if any value is wanted. Every value that is not empty is read, so that a match does not hide a value that cannot be
 * compared.
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
