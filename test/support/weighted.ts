import fc from 'fast-check';

/** Returns an arbitrary that draws from each of these as often as its weight says. */
export const weighted = <Values extends unknown[]>(
	...from: { [Index in keyof Values]: [weight: number, arbitrary: fc.Arbitrary<Values[Index]>] }
): fc.Arbitrary<Values[number]> => fc.oneof(...from.map(([weight, arbitrary]) => ({ weight, arbitrary })));
