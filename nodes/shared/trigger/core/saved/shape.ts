import { isObject } from '../../../isObject';
import { isTime, LAST_DAY } from '../memory/fingerprint';

/** The shape of saved data. One definition yields its type and its check. */
export type Shape<T> = (value: unknown) => value is T;

export type TypeOf<S> = S extends Shape<infer T> ? T : never;

type Shapes = Readonly<Record<string, Shape<unknown>>>;
type Objects<Fields> = { [Name in keyof Fields]: TypeOf<Fields[Name]> };

export const aTime = plain<number>((value) => typeof value === 'number' && isTime(value));
export const aCount = plain<number>((value) => Number.isSafeInteger(value) && (value as number) >= 0);
export const aDay = plain<number>((value) => aCount(value) && value <= LAST_DAY);
export const aText = plain<string>((value) => typeof value === 'string');
export const nothing = exactly(null);
export const aFlag = plain<boolean>((value) => typeof value === 'boolean');

export function exactly<const T>(only: T): Shape<T> {
	return plain((value) => value === only);
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
	return plain((value) => value === null || shape(value));
}

export function arrayOf<T>(shape: Shape<T>): Shape<T[]> {
	return plain((value) => Array.isArray(value) && value.every(shape));
}

export function both<A, B>(one: Shape<A>, other: Shape<B>): Shape<A & B> {
	return plain((value) => one(value) && other(value));
}

export function oneOf<A, B>(one: Shape<A>, other: Shape<B>): Shape<A | B> {
	return plain((value) => one(value) || other(value));
}

/** Makes the shape of an object with these fields, perhaps some of `optional`, and any others. */
export function objectOf<Fields extends Shapes, Optional extends Shapes = Record<never, never>>(
	fields: Fields,
	optional?: Optional,
): Shape<Objects<Fields> & Partial<Objects<Optional>>> {
	return plain((value) => {
		if (!isObject(value)) return false;
		const isThere = ([name, shape]: [string, Shape<unknown>]) => shape(value[name]);
		const isAbsent = ([name]: [string, unknown]) => value[name] === undefined;
		return (
			Object.entries(fields).every(isThere) &&
			Object.entries(optional ?? {}).every((field) => isAbsent(field) || isThere(field))
		);
	});
}

function plain<T>(test: (value: unknown) => boolean): Shape<T> {
	return (value): value is T => test(value);
}
