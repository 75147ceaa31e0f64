/** What plain data may be. One definition has its type, the check of what was saved, and what is left out of it. */
export interface Shape<T> {
	/** Whether a saved value is such data, perhaps without what was left out. */
	accepts(value: unknown): value is T;
	/** What was left out is filled in. */
	read(saved: T): T;
	/** What can be left out is left out. */
	save(value: T): T;
	/** With this value, an object is saved without it. */
	otherwise?: T;
}

export type TypeOf<S> = S extends Shape<infer T> ? T : never;

type Shapes = Readonly<Record<string, Shape<unknown>>>;
type Objects<Fields> = { [Name in keyof Fields]: TypeOf<Fields[Name]> };

const same = <T>(value: T) => value;
const plain = <T>(test: (value: unknown) => boolean): Shape<T> => ({
	accepts: (value): value is T => test(value),
	read: same,
	save: same,
});

export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null;

export const time = plain<number>(Number.isFinite);
export const count = plain<number>((value) => Number.isSafeInteger(value) && (value as number) >= 0);
export const text = plain<string>((value) => typeof value === 'string');
export const flag = plain<boolean>((value) => typeof value === 'boolean');

export const nullable = <T>(shape: Shape<T>): Shape<T | null> => ({
	accepts: (value): value is T | null => value === null || shape.accepts(value),
	read: (saved) => saved && shape.read(saved),
	save: (value) => value && shape.save(value),
});

export const list = <T>(shape: Shape<T>): Shape<T[]> => ({
	accepts: (value): value is T[] => Array.isArray(value) && value.every((one) => shape.accepts(one)),
	read: (saved) => saved.map((one) => shape.read(one)),
	save: (value) => value.map((one) => shape.save(one)),
});

/** In an object: saved only when it is something else. */
export const usually = <T>(otherwise: T, shape: Shape<T>): Shape<T> => ({ ...shape, otherwise });

/** The same data with a rule between its fields. */
export function where<T, Narrowed extends T>(shape: Shape<T>, holds: (value: T) => value is Narrowed): Shape<Narrowed>;
export function where<T>(shape: Shape<T>, holds: (value: T) => boolean): Shape<T>;
export function where<T>(shape: Shape<T>, holds: (value: T) => boolean): Shape<T> {
	return { ...shape, accepts: (value): value is T => shape.accepts(value) && holds(value) };
}

/** An object with these fields, and perhaps with some of `optional`. Others stay as they are. */
export function object<Fields extends Shapes, Optional extends Shapes = Record<never, never>>(
	fields: Fields,
	optional?: Optional,
): Shape<Objects<Fields> & Partial<Objects<Optional>>> {
	type T = Objects<Fields> & Partial<Objects<Optional>>;
	const shapes: Shapes = { ...fields, ...optional };
	const entries = Object.entries(shapes);
	const mayMiss = (name: string) => !(name in fields) || shapes[name]?.otherwise !== undefined;
	const isUsual = (name: string, part: unknown) => {
		const usual = shapes[name]?.otherwise;
		return usual !== undefined && JSON.stringify(part) === JSON.stringify(usual);
	};
	const mapped = (value: T, change: 'read' | 'save') =>
		Object.entries(value as object).map(([name, part]) => [name, shapes[name]?.[change](part) ?? part] as const);
	return {
		accepts: (value): value is T =>
			isObject(value) &&
			entries.every(([name, shape]) => (value[name] === undefined ? mayMiss(name) : shape.accepts(value[name]))),
		read: (saved) => {
			const usual = entries.filter(([name, { otherwise }]) => otherwise !== undefined && !(name in (saved as object)));
			return Object.fromEntries([
				...mapped(saved, 'read'),
				...usual.map(([name, { otherwise }]) => [name, otherwise]),
			]) as T;
		},
		save: (value) => Object.fromEntries(mapped(value, 'save').filter(([name, part]) => !isUsual(name, part))) as T,
	};
}
