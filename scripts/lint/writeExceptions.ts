/**
 * Where the nodes promise less than "once": what may happen then. The oracle of the simulation of writes allows exactly these,
 * and `npm run generate` makes the documentation's table of them.
 */
export const EXCEPTIONS = {
	'no token': {
		when: 'On n8n 1.x, or 2.x before 2.14, the first attempt is lost',
		what: 'Its changes are made again',
		instead: 'Set your own key',
	},
	'computed, rejected': {
		when: 'The first attempt is lost, an expression computes another value now, and the service rejects a known key with another change',
		what: 'The change stays as the first attempt made it; the item fails',
		instead: 'Compute the value in a node before, and read it',
	},
	'computed, replayed': {
		when: '… and the service returns its first response',
		what: 'The change stays as the first attempt made it; the item may show the new value',
		instead: 'Compute the value in a node before, and read it',
	},
	'edited after a crash': {
		when: 'The first attempt is lost, and you replaced an expression that computes a value by one that reads it, or the other way round',
		what: 'The change is made again, even with the same value',
		instead: 'Edit the workflow after the retry',
	},
	'own key that differs': {
		when: 'The first attempt is lost, and your own key is an expression that returns another value now',
		what: 'The change is made again',
		instead: 'Use a value that comes with the data',
	},
	'forgotten key': {
		when: 'The service has forgotten the key; it does not document when',
		what: 'The change is made again',
		instead: 'Retry soon',
	},
} as const;

export type Exception = keyof typeof EXCEPTIONS;

const HEADING = '## Where this ends';
const COLUMNS = ['When', 'What happens', 'Instead'];

/** docs/idempotency.md with its table of exceptions as the simulation of writes knows them. @throws Error without its place. */
export function withExceptions(page: string): string {
	const place = new RegExp(`(\\n${HEADING}\\n(?:(?!\\|).*\\n)*)(?:\\|.*\\n)*`);
	if (!place.test(page)) throw new Error(`The page lacks the heading "${HEADING}".`);
	return page.replace(place, (_all, before: string) => before + table());
}

function table(): string {
	const rows = [COLUMNS, ...Object.values(EXCEPTIONS).map(({ when, what, instead }) => [when, what, instead])];
	// As Prettier aligns them.
	const widths = COLUMNS.map((_name, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
	const line = (cells: string[]) => `| ${cells.join(' | ')} |\n`;
	const [head = '', ...others] = rows.map((row) => line(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))));
	return [head, line(widths.map((width) => '-'.repeat(width))), ...others].join('');
}
