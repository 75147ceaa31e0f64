import { readFileSync } from 'node:fs';
import type { Outcome } from '../../../../scripts/versions/outcome.ts';
import { withTable } from '../../../../scripts/versions/page.ts';
import { PROMISES } from '../../../../scripts/versions/promises.ts';
import { byVersion, readResults } from '../../../../scripts/versions/results.ts';
import { RUNGS } from '../../../../scripts/versions/rungs.ts';

const HOLDS: Outcome = 'holds';
const ABSENT: Outcome = 'n8n has no such thing';
const broken = (doesNotHold: string): Outcome => ({ doesNotHold });

const PAGE = 'Before\n\n<!-- npm run versions writes from here -->\n\nstale\n\n<!-- to here -->\n\nAfter\n';

/** Returns the page of one promise, with the given outcomes on 1.0, 1.1 and so on. */
function pageOf(...outcomes: Outcome[]): string {
	const run = { version: '0.1.0', date: '2026-01-01' };
	const results = outcomes.map((outcome, minor) => ({ n8n: `1.${minor}`, ...run, outcomes: { one: outcome } }));
	return withTable(PAGE, { one: 'One' }, results);
}

function row(...outcomes: Outcome[]): string[] {
	const [, , last = ''] = pageOf(...outcomes)
		.split('\n')
		.filter((line) => line.startsWith('|'));
	return last
		.split('|')
		.slice(1, -1)
		.map((cell) => cell.trim());
}

describe('the table of which promise holds from which n8n on', () => {
	test('replaces what is between the markers, and nothing else', () => {
		const page = withTable(PAGE, { one: 'One' }, []);
		expect(page).toMatch(/^Before\n\n<!-- .*/);
		expect(page).toMatch(/<!-- to here -->\n\nAfter\n$/);
		expect(page).not.toContain('stale');
		expect(() => withTable('no marker', {}, [])).toThrow('The page lacks the lines');
	});

	test('a promise that holds everywhere is in the list, and not in the table', () => {
		expect(pageOf(HOLDS, HOLDS)).toContain('\n\nOn all of them:\n\n- One\n\n<!-- to here -->');
		expect(row(HOLDS, HOLDS)).toEqual([]);
		expect(pageOf(ABSENT, HOLDS)).not.toContain('On all of them');
	});

	test('says what happens before, once for versions with the same outcome', () => {
		const before = '1.0: n8n has no such thing; 1.1 to 1.2: twice';
		expect(row(ABSENT, broken('twice'), broken('twice'), HOLDS)).toEqual(['One', '1.3', before]);
	});

	test('a promise that a later version breaks again holds only after it', () => {
		expect(row(HOLDS, broken('lost'), HOLDS)).toEqual(['One', '1.2', '1.0: holds; 1.1: lost']);
	});

	test('a promise that the newest version breaks holds from none', () => {
		expect(row(HOLDS, broken('a|b'))[1]).toBe('none');
	});
});

describe('docs/compatibility.md', () => {
	test('has the table of the results: run `npm run versions -- --page`', () => {
		const page = readFileSync('docs/compatibility.md', 'utf8');
		expect(withTable(page, PROMISES, readResults())).toBe(page);
	});

	test('has a result of each promise on each version, from old to new', () => {
		expect(readResults().map(({ n8n }) => n8n)).toEqual(RUNGS.map(({ version }) => version).toSorted(byVersion));
		for (const { outcomes } of readResults()) expect(Object.keys(outcomes)).toEqual(Object.keys(PROMISES));
	});
});
