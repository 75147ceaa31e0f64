import { timeOf } from '../parameters/dates';
import { isNothing, trimmed } from '../parameters/read';
import type { Decimal } from './decimals';
import { compareDecimals, decimalOf } from './decimals';

/**
 * Whether a condition holds for the values of its field, which are several in a list, and none in an empty list or without the
 * field.
 * @throws NotComparable
 */
export type Holds = (values: readonly unknown[]) => boolean;

/** A value that can be neither less nor greater, or neither before nor after. */
export class NotComparable extends Error {
	/** @param wanted what it had to be. */
	constructor(readonly wanted: 'a number' | 'a date') {
		super();
	}
}

/** A text without case and the spaces around it, as the trigger's filters compare it. An object equals no text. */
function normal(value: unknown): string {
	return typeof value === 'object' ? '' : trimmed(String(value)).toLowerCase();
}

/** Any value is this text, or this number: 4900 is also 4900.00. As text, 0012 is another ID than 12. */
export function is(text: string): Holds {
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
export function contains(text: string): Holds {
	const wanted = normal(text);
	return (values) => values.some((value) => normal(value).includes(wanted));
}

/** There is no value but null, blank text, and objects without fields. */
export const isEmpty: Holds = (values) =>
	values.every(
		(value) => isNothing(value) || (typeof value === 'object' && value !== null && Object.keys(value).length === 0),
	);

export const isGreaterThan = (wanted: Decimal): Holds => comparing((value) => compareNumbers(value, wanted) > 0);
export const isLessThan = (wanted: Decimal): Holds => comparing((value) => compareNumbers(value, wanted) < 0);

/** @param wanted in milliseconds. A time without an offset is in this `zone`. */
export const isAfter = (wanted: number, zone: string): Holds => comparing((value) => timeAt(value, zone) > wanted);
export const isBefore = (wanted: number, zone: string): Holds => comparing((value) => timeAt(value, zone) < wanted);

export const not =
	(holds: Holds): Holds =>
	(values) =>
		!holds(values);

/** Compares every value that is not empty, so that the first match does not hide one that cannot be compared. */
function comparing(isWanted: (value: unknown) => boolean): Holds {
	return (values) =>
		values
			.filter((value) => !isNothing(value))
			.map(isWanted)
			.includes(true);
}

function compareNumbers(value: unknown, wanted: Decimal): number {
	const number = decimalOf(value);
	if (number === undefined) throw new NotComparable('a number');
	return compareDecimals(number, wanted);
}

function timeAt(value: unknown, zone: string): number {
	const time = timeOf(value, zone);
	if (time === undefined) throw new NotComparable('a date');
	return time;
}
