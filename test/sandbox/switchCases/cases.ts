import type { Switches } from '../../../sandbox/src/client.ts';

/** For switches by name and their values by name: a check that the value makes its difference. */
export type Cases = { [Name in keyof Required<Switches>]?: Record<string, () => Promise<void>> };
