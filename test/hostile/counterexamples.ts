/** An attack under which something was once wrong; the answers as bytes, because what a seed gives changes with what draws from it. */
export interface Counterexample {
	what: string;
	/** Name of the node, or what else was asked. */
	subject: string;
	/** One per request; the last for all that follow. Of `bytes`, each character is one; `{elsewhere}` is the address that must never be asked. */
	answers: Array<Array<{ bytes: string } | 'reset' | 'silence'>>;
}

/** Each run of fuzz.test.ts begins with them. What `npm run search` finds comes as a line to be added here. */
export const COUNTEREXAMPLES: Counterexample[] = [];
