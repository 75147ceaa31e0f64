/**
 * Where the nodes promise less than "once": what may happen then. The oracle of the simulation of writes allows exactly these,
 * and `npm run generate` makes the documentation's list of them.
 */
export const EXCEPTIONS = {
	'no token': {
		when: 'On n8n 1.x, or 2.x before 2.14',
		what: 'its changes are made again',
		instead: 'Set your own key',
	},
	'computed, rejected': {
		when: 'An expression computes another value now, and the service rejects a known key with another change',
		what: 'the change stays as the first attempt made it, and the item fails',
		instead: 'Compute the value in a node before, and read it',
	},
	'computed, replayed': {
		when: 'The same, but the service returns its first response',
		what: 'the change stays as the first attempt made it, and the item may show the new value',
		instead: 'Compute the value in a node before, and read it',
	},
	'edited after a crash': {
		when: 'You replaced an expression that computes a value by one that reads it, or the other way round',
		what: 'the change is made again, even with the same value',
		instead: 'Edit the workflow after the retry',
	},
	'own key that differs': {
		when: 'Your own key is an expression that returns another value now',
		what: 'the change is made again',
		instead: 'Use a value that comes with the data',
	},
	'forgotten key': {
		when: 'With or without a lost attempt, the service has forgotten the key; it does not document when',
		what: 'the change is made again',
		instead: 'Retry soon',
	},
} as const;

export type Exception = keyof typeof EXCEPTIONS;

const HEADING = '## Where this ends';

/** docs/idempotency.md with its list of exceptions as the simulation of writes knows them. @throws Error without its place. */
export function withExceptions(page: string): string {
	const place = new RegExp(`(\\n${HEADING}\\n(?:(?!- |## ).*\\n)*)(?:- .*\\n)*`);
	if (!place.test(page)) throw new Error(`The page lacks the heading "${HEADING}".`);
	return page.replace(place, (_all, before: string) => before + list());
}

function list(): string {
	return Object.values(EXCEPTIONS)
		.map(({ when, what, instead }) => `- **${when}**: ${what}. ${instead}.\n`)
		.join('');
}
