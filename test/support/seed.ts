/**
 * The seed of everything random in the tests, so that every run on the same code ends the same way. `npm run search` sets
 * others in TEST_SEED.
 */
export const SEED = Number(process.env.TEST_SEED ?? 20260301);
