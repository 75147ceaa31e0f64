/**
 * All that the tests draw at random is drawn from this, so that a run of them ends as the one before did on the same code.
 * `npm run search` gives others by TEST_SEED.
 */
export const SEED = Number(process.env.TEST_SEED ?? 20260301);
