import { markdownTable } from '../lib/table.ts';

/**
 * Where the nodes promise less than "once": what may happen then. The oracle of the simulation of writes allows exactly these,
 * and `npm run generate` makes the documentation's table of them.
 */
const EXCEPTIONS = {
	'no token': {
		when: 'The execution began before n8n 2.14',
		then: 'Its changes are made again',
		do: 'Set your own key',
	},
	'computed, rejected': {
		when: 'An expression computes another value now, and the service rejects a known key with another change',
		then: 'The change stays as the first attempt made it, and the item fails',
		do: 'Compute the value in a node before, and read it',
	},
	'computed, replayed': {
		when: 'An expression computes another value now, and the service returns its first response to the key',
		then: 'The change stays as the first attempt made it, and the item may show the new value',
		do: 'Compute the value in a node before, and read it',
	},
	'edited after a crash': {
		when: 'You edited, added or removed an expression that computes a value, or renamed a node that it names',
		then: 'The change is made again, even with the same value',
		do: 'Edit the workflow after the retry',
	},
	'own key that differs': {
		when: 'Your own key is an expression that returns another value now',
		then: 'The change is made again',
		do: 'Use a value that comes with the data',
	},
	'forgotten key': {
		when: 'The service has forgotten the key, even without a lost attempt; it does not document when',
		then: 'The change is made again',
		do: 'Retry soon',
	},
} as const;

export type Exception = keyof typeof EXCEPTIONS;

const HEADING = '## Where this ends';

/**
 * Returns docs/idempotency.md with its table of exceptions as the simulation of writes knows them. @throws Error without its
 * place.
 */
export function withExceptions(page: string): string {
	const place = new RegExp(`(\\n${HEADING}\\n(?:(?![|]|## ).*\\n)*)(?:[|].*\\n)*`);
	if (!place.test(page)) throw new Error(`The page lacks the heading "${HEADING}".`);
	const rows = Object.values(EXCEPTIONS).map((exception) => [exception.when, exception.then, exception.do]);
	return page.replace(place, (_all, before: string) => `${before}${markdownTable(['If', 'Then', 'Do'], rows)}\n`);
}
