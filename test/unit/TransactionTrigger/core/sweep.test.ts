import { fingerprintOf } from '../../../../nodes/TransactionTrigger/core/fingerprint';
import { takeBack } from '../../../../nodes/TransactionTrigger/core/takeBack';
import { Memory } from '../../../../nodes/TransactionTrigger/core/memory';
import type { State } from '../../../../nodes/TransactionTrigger/core/state';
import { newSweep } from '../../../../nodes/TransactionTrigger/core/state';
import { CursorRejected, walk } from '../../../../nodes/TransactionTrigger/core/sweep';
import type { PageAnswer } from '../../../support/scriptedPages';
import { scriptedPages } from '../../../support/scriptedPages';

function sweeping(
	answers: PageAnswer[],
	{ mostPages = Infinity, maxTransactions = 100, memory = new Memory('', false) } = {},
) {
	const { ports, asked, log } = scriptedPages(answers, (request) => request);
	const walked = walk(
		newSweep(5),
		memory,
		{ maxTransactions, matches: () => true },
		{ ...ports, hasTime: () => asked.length < mostPages },
	);
	return { walked, asked, log };
}

const rejected = () => new CursorRejected('', { cause: new Error('too old') });

describe('a sweep', () => {
	test('reads a page however little time there is, and no other when there is none left', async () => {
		const { walked, asked } = sweeping([{ nextCursor: 'a' }, { nextCursor: 'b' }], { mostPages: 0 });
		await expect(walked).resolves.toMatchObject({ emitted: [], sweep: { since: 5, startedAt: 1, cursor: 'a' } });
		expect(asked).toEqual([[5, null]]);
	});

	test('starts over once when its cursor is rejected, and says so', async () => {
		const { walked, asked, log } = sweeping([{ nextCursor: 'a' }, rejected(), { nextCursor: 'b' }, {}]);
		await expect(walked).resolves.toEqual({ emitted: [], sweep: null, watermark: 3 });
		expect(asked).toEqual([null, 'a', null, 'b'].map((cursor) => [5, cursor]));
		expect(log).toEqual(['The service no longer accepts the cursor of the sweep under way: the sweep starts over']);
	});

	test('ends with what the service said when that happens again, and begins anew next time', async () => {
		const { walked, log } = sweeping([{ nextCursor: 'a' }, rejected(), { nextCursor: 'b' }, rejected()]);
		await expect(walked).resolves.toEqual({
			emitted: [],
			sweep: { ...newSweep(5), setbacks: { inVain: 1, furthest: 1 } },
			failure: new Error('too old'),
		});
		expect(log).toHaveLength(1);
	});

	test('keeps in mind what it meets again, and forgets what it did not', async () => {
		const memory = new Memory('', false, 2);
		for (const id of [1, 2]) memory.remember(fingerprintOf({ id }));
		await sweeping([{ transactions: [{ id: 1 }, { id: 3 }] }], { memory }).walked;
		expect([1, 2, 3].map((id) => memory.compare(fingerprintOf({ id })))).toEqual(['known', 'new', 'known']);
	});

	test('keeps of a cursor no more than tells it from others', async () => {
		const { walked } = sweeping([{ nextCursor: 'c'.repeat(10_000) }], { mostPages: 1 });
		expect((await walked).sweep?.trail).toEqual({ mark: expect.stringMatching(/^[\w-]{22}$/), steps: 0, reach: 1 });
	});

	test.each([1, 2, 3, 4, 7, 8, 100])('finds out a circle of %i pages within four times its length', async (length) => {
		const answers = Array.from({ length: 10 * length }, (_, index) => ({ nextCursor: `c${index % length}` }));
		const { walked, asked } = sweeping(answers);
		await expect(walked).resolves.toMatchObject({ failure: new Error('endless') });
		expect(asked.length).toBeLessThanOrEqual(Math.max(2, 4 * length));
	});
});

test('of what a process emitted that had repeated itself, half is repeated: of new and changed together', () => {
	const before = { activatedAt: null, watermark: 1, sweep: null };
	const last = { process: 'gone', repeats: true, added: 3, changed: 2, before };
	const memory = 'a'.repeat(5 * 15);
	const state: State = {
		version: 1,
		identity: 'me',
		earliest: null,
		activatedAt: null,
		watermark: 2,
		sweep: null,
		emissions: 1,
		last,
		memory,
	};
	expect(takeBack(state, { keepsContent: true, afterRestart: 'always' }, 'me', 0, 0)).toMatchObject({
		most: 3,
		state: { watermark: 1, last: null },
	});
});
