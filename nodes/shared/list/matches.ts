import { isObject } from '../isObject';
import { isNothing, normal } from '../parameters/read';
import { compareDecimals, decimalOf } from './decimals';

type Comparable = 'a number' | 'a date';

/**
 * A test of a field's values: several for a list, none for an empty list or a missing field. If one cannot be compared, it
 * returns the kind that the value should have.
 */
export type Holds = (values: readonly unknown[]) => boolean | Comparable;

type Test = (values: readonly unknown[]) => boolean;

/** Returns a test that one value equals the text or number. As a number, 4900 equals 4900.00. As texts, 12 and 0012 differ. */
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

export const isEmpty: Test = (values) => values.every(isEmptyValue);

function isEmptyValue(value: unknown): boolean {
	return isNothing(value) || (isObject(value) && Object.keys(value).length === 0);
}

export function not(test: Test): Test {
	return (values) => !test(values);
}

/** Returns a test that holds if any value is wanted, but not before `read` has shown that all others can be compared. */
export function comparing<T>(
	kind: Comparable,
	read: (value: unknown) => T | undefined,
	isWanted: (value: T) => boolean,
): Holds {
	return (values) => {
		let found = false;
		for (const value of values) {
			if (isEmptyValue(value)) continue;
			const comparable = read(value);
			if (comparable === undefined) return kind;
			found ||= isWanted(comparable);
		}
		return found;
	};
}
