import type { Switches } from '../../../sandbox/src/client.ts';

/** By switch and value: a check that the value changes what it should. */
export type Cases = { [Name in keyof Required<Switches>]?: Record<string, () => Promise<void>> };
