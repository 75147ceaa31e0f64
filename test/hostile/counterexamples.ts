/** An attack that once failed. It keeps the bytes of the responses: a seed draws others once the generator changes. */
export interface Counterexample {
	what: string;
	/** Name of the subject: a node, the lead picker or the credential test. */
	subject: string;
	/**
	 * One per request; the last is for all further requests. Each character of `bytes` is one byte; `{elsewhere}` is the
	 * address that must never get a request.
	 */
	responses: Array<Array<{ bytes: string } | 'reset' | 'silence'>>;
}

/** Each run of fuzz.test.ts begins with these. A failure that `npm run search` finds prints a line to add here. */
export const COUNTEREXAMPLES: Counterexample[] = [];
