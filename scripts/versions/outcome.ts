/** How a promise fared on one n8n; where it does not hold, what happened instead. */
export type Outcome = 'holds' | 'n8n has no such thing' | { doesNotHold: string };

/** Raised when a promise does not hold; the message says in a few words what happened instead. */
export class Broken extends Error {}

const LONGEST_REASON = 200;

/** Runs one check. A failure of n8n or of the check itself counts as a promise that does not hold; all of it is printed. */
export async function outcomeOf(check: () => Promise<void>): Promise<Outcome> {
	try {
		await check();
		return 'holds';
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		process.stderr.write(`${message}\n`);
		const [line = ''] = message.split('\n');
		return { doesNotHold: line.slice(0, LONGEST_REASON) };
	}
}

/** @throws Broken with the problems, unless there are none */
export function none(problems: readonly string[]): void {
	if (problems.length > 0) throw new Broken([...new Set(problems)].join('; '));
}
