import { Endless, NoPage } from '../../../../../nodes/shared/trigger/core/failures.ts';
import type { Fingerprint } from '../../../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import type { Walk } from '../../../../../nodes/shared/trigger/core/state.ts';
import { newWalk } from '../../../../../nodes/shared/trigger/core/state.ts';
import { walk } from '../../../../../nodes/shared/trigger/core/walk.ts';
import type { PageResponse } from '../../../../support/scripted/pages.ts';
import { scriptedPages } from '../../../../support/scripted/pages.ts';
import { nextAt } from '../../../../support/scripted/ports.ts';
import { storedCopy } from '../../../../support/scripted/storing.ts';

function sweeping(responses: PageResponse[], { maxPages = Infinity, from = newWalk(5) as Walk, most = Infinity } = {}) {
	const { ports, asked, impatiently, log } = scriptedPages(responses, (request) => request);
	const known = new Set<unknown>();
	const take = ({ record: { id } }: Fingerprint) => {
		if (!known.has(id) && known.size >= most) return false;
		known.add(id);
		return true;
	};
	const walked = walk(from, (page) => page.every(take), { ...ports, hasTime: () => asked.length < maxPages });
	return { walked, asked, impatiently, log, known, ports };
}

/** Returns the rest of a walk that has stopped. */
function restOf(walked: Awaited<ReturnType<typeof walk>>): Walk {
	if (walked.end === 'complete') throw new Error('nothing is left of it');
	return walked.rest;
}

const rejected = () => new NoPage('rejected cursor', 'too old');

describe('a sweep', () => {
	test('reads one page however little time there is, and no other when there is none left', async () => {
		const { walked, asked } = sweeping([{ nextCursor: 'a' }, { nextCursor: 'b' }], { maxPages: 0 });
		const rest = { since: 5, startedAt: 1, next: { cursor: 'a' } };
		await expect(walked).resolves.toMatchObject({ rest, end: 'paused', because: 'no time is left' });
		expect(asked).toEqual([[5, null]]);
	});

	test('starts over once when its cursor is rejected, and says so', async () => {
		const { walked, asked } = sweeping([{ nextCursor: 'a' }, rejected(), { nextCursor: 'b' }, {}]);
		const complete = { end: 'complete', startedAt: 1, latest: 4, hadOnePage: false };
		await expect(walked).resolves.toEqual({ pagesFetched: 3, setback: 'started over', ...complete });
		expect(asked).toEqual([null, 'a', null, 'b'].map((cursor) => [5, cursor]));
	});

	test("ends with the service's error when that happens again, and starts over next time", async () => {
		const { walked } = sweeping([{ nextCursor: 'a' }, rejected(), { nextCursor: 'b' }, rejected()]);
		const rest = { ...newWalk(5), startedAt: 1, setbacks: { inVain: 1, furthest: 1 } };
		const failed = { rest, end: 'failed', failure: new Error('too old') };
		await expect(walked).resolves.toEqual({ pagesFetched: 2, setback: 'started over', ...failed });
	});

	test.each([1, 2, 3, 4, 7, 8, 100])('detects a circle of %i pages within four times its length', async (length) => {
		const responses = Array.from({ length: 10 * length }, (_, index) => ({ nextCursor: `c${index % length}` }));
		const { walked, asked } = sweeping(responses);
		await expect(walked).resolves.toMatchObject({ failure: new Endless('transactions') });
		expect(asked.length).toBeLessThanOrEqual(Math.max(2, 4 * length));
	});

	test('starts over after a page whose next cursor came back: requested again, a scroll would skip a page, and then end', async () => {
		const from = restOf(await sweeping([{ nextCursor: 'a' }, { nextCursor: 'a' }], { maxPages: 1 }).walked);
		expect(from.next?.cursor).toBe('a');
		const { walked, known } = sweeping([{ records: [{ id: 1 }], nextCursor: 'a' }], { from });
		const rest = { ...newWalk(5), startedAt: 1, setbacks: { inVain: 0, furthest: 1 } };
		const failure = new Endless('transactions');
		await expect(walked).resolves.toEqual({ pagesFetched: 1, rest, end: 'failed', failure });
		expect([...known]).toEqual([]);
	});
});

describe('a 500 to the cursor of an earlier part', () => {
	const from: Walk = { ...newWalk(5), startedAt: 1, next: nextAt('old') };
	const failing = () => new NoPage('failing', 'HTTP 500');
	const stays = { rest: from, end: 'failed', failure: failing() };
	const again = [failing(), {}, { nextCursor: 'a' }];
	const OVER = ['old', null, null, 'a'];
	const complete = { end: 'complete', setback: 'started over', pagesFetched: 2 };
	const progress = { rest: { next: { cursor: 'a' } }, failure: { message: 'rate limit' }, setback: 'started over' };

	test.each<[string, PageResponse[], Array<string | null>, object]>([
		['starts the walk over if the first page can be read', [...again, {}], OVER, complete],
		['changes nothing in an outage', [failing(), failing()], ['old', null], { ...stays, setback: undefined }],
		[
			'changes nothing if a new cursor gets a 500, too',
			[...again, failing()],
			OVER,
			{ ...stays, setback: 'went back' },
		],
		['loses no progress to another failure', [...again, new NoPage('recovering', 'rate limit')], OVER, progress],
		['spares one of this part', [{ nextCursor: 'a' }, failing()], ['old', 'a'], { rest: { next: { cursor: 'a' } } }],
	])('%s', async (_what, responses, cursors, end) => {
		const { walked, asked, impatiently } = sweeping(responses, { from });
		await expect(walked).resolves.toMatchObject(end);
		expect(asked.map(([, cursor]) => cursor)).toEqual(cursors);
		// Only the request that tells a rejection from an outage may fail rather than wait.
		expect(impatiently).toEqual(cursors.map((_cursor, request) => request === 1 && cursors[1] === null));
	});

	test('keeps what was read since the service plainly rejected a cursor', async () => {
		const { walked } = sweeping([new NoPage('rejected cursor', 'old'), { nextCursor: 'a' }, failing()], { from });
		await expect(walked).resolves.toMatchObject({ rest: { next: { cursor: 'a' } }, setback: 'started over' });
	});

	test('does not come to a walk without a cursor', async () => {
		const { walked, asked } = sweeping([failing()]);
		await expect(walked).resolves.toMatchObject({ rest: newWalk(5), end: 'failed' });
		expect(asked).toHaveLength(1);
	});
});

test('a fault of this code is thrown, and no failure of the service', async () => {
	await expect(sweeping([new TypeError('a fault')]).walked).rejects.toThrow('a fault');
});

test('a sweep starts at the earliest time that its pages came with, even in a later poll and when it starts over', async () => {
	const pages = [{ nextCursor: 'a', asOf: 9 }, { nextCursor: 'b', asOf: 7 }, rejected(), { nextCursor: 'a', asOf: 8 }];
	const sweep = restOf(await sweeping(pages, { maxPages: 4 }).walked);
	expect(sweep).toMatchObject({ startedAt: 7, next: { cursor: 'a' } });
	const { walked } = sweeping([{ asOf: 6 }], { from: storedCopy(sweep) });
	await expect(walked).resolves.toMatchObject({ end: 'complete', startedAt: 6, hadOnePage: false });
});

test('a page that the poll could not take whole is read again by the next one', async () => {
	const page = { records: [{ id: 1 }, { id: 2 }, { id: 3 }], nextCursor: 'b' };
	const from: Walk = { ...newWalk(5), startedAt: 1, next: nextAt('a') };
	const { walked, known } = sweeping([page], { from, most: 2 });
	const because = 'the limit is reached';
	await expect(walked).resolves.toEqual({ pagesFetched: 1, rest: from, end: 'paused', because });
	expect([...known]).toEqual([1, 2]);
});

test('a part of a walk ends with its last page, or when its own time is over', async () => {
	const part = async (limits: { pages?: number; until?: number }) => {
		const { ports, asked } = scriptedPages([{ nextCursor: 'a' }, { nextCursor: 'b' }, {}], () => 1);
		return { walked: await walk(newWalk(5), () => true, ports, limits), requests: asked.length };
	};
	const paused = (cursor: string, because: string) => ({ rest: { next: { cursor } }, end: 'paused', because });
	expect(await part({ pages: 2 })).toMatchObject({ walked: paused('b', 'no page is due'), requests: 2 });
	expect(await part({ until: -Infinity })).toMatchObject({ walked: paused('a', 'no time is left'), requests: 1 });
});
