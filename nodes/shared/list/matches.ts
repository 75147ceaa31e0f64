import { timeOf } from '../parameters/dates';
import { isNothing, normal } from '../parameters/read';
import type { Decimal } from './decimals';
import { compareDecimals, decimalOf } from './decimals';

/** The kind of value that a comparison needs, where a value is not of it. */
export type NotComparable = 'a number' | 'a date';

/**
 * Whether a condition holds for the values of its field, which are several in a list, and none in an empty list or without the
 * field.
 */
export type Holds = (values: readonly unknown[]) => boolean | NotComparable;

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
	values.every(
		(value) => isNothing(value) || (typeof value === 'object' && value !== null && Object.keys(value).length === 0),
	);

export const isGreaterThan = (wanted: Decimal): Holds =>
	comparingNumbers((number) => compareDecimals(number, wanted) > 0);
export const isLessThan = (wanted: Decimal): Holds => comparingNumbers((number) => compareDecimals(number, wanted) < 0);

/** @param wanted in milliseconds. A time without an offset is in this `zone`. */
export const isAfter = (wanted: number, zone: string): Holds => comparingTimes(zone, (time) => time > wanted);
export const isBefore = (wanted: number, zone: string): Holds => comparingTimes(zone, (time) => time < wanted);

export const not =
	(decides: Decides): Decides =>
	(values) =>
		!decides(values);

const comparingNumbers = (isWanted: (number: Decimal) => boolean) => comparing('a number', decimalOf, isWanted);

const comparingTimes = (zone: string, isWanted: (time: number) => boolean) =>
	comparing('a date', (value) => timeOf(value, zone), isWanted);

/** Looks at every value that is not empty, so that a match does not hide a value that cannot be compared. */
function comparing<T>(
	kind: NotComparable,
	read: (value: unknown) => T | undefined,
	isWanted: (value: T) => boolean,
): Holds {
	return (values) => {
		const present = values.filter((value) => !isNothing(value)).map(read);
		return present.includes(undefined) ? kind : present.some((value) => isWanted(value as T));
	};
}
