import type { Fingerprint, RevenueRecord } from '../../../../../../nodes/shared/trigger/core/memory/fingerprint';
import { watchIdOf } from '../../../../../../nodes/shared/trigger/core/memory/fingerprint';
import { capacityFor } from '../../../../../../nodes/shared/trigger/core/memory/capacity';
import { Memory } from '../../../../../../nodes/shared/trigger/core/memory/memory';
import { isMemory, without, withoutLast } from '../../../../../../nodes/shared/trigger/core/memory/text';
import type { PollPorts, PollSettings } from '../../../../../../nodes/shared/trigger/core/ports';
import { pollOnce } from '../../../../../../nodes/shared/trigger/core/pollOnce';
import type { State } from '../../../../../../nodes/shared/trigger/core/state';
import { newSweep } from '../../../../../../nodes/shared/trigger/core/state';
import { scriptedPages } from '../../../../../support/scripted/pages';
import { NOW, STATE } from '../../../../../support/scripted/ports';
import { decisionOf } from '../../../../../support/verdicts';
import { fingerprintOf, KIND, readState } from '../../../../../support/scripted/kind';

const TODAY = 20_000;
const STATUS = ['status'];

const memoryOf = (text: string, fieldsToWatch: readonly string[] = STATUS) =>
	new Memory(text, { keepsContent: true, today: TODAY, fieldsToWatch });
const of = (status: string, amount = 100) => fingerprintOf({ id: 'tx', status, amount });

/** A memory that has reported a record. */
function reported(...versions: Array<ReturnType<typeof of>>): string {
	const memory = memoryOf('');
	for (const version of versions) memory.remember(version, 'new');
	return memory.write().text;
}

function verdictOf(memory: Memory, fingerprint: Fingerprint): string {
	const { verdict, because } = decisionOf(memory, fingerprint);
	return because === 'changed in no watched field' ? 'unwatched' : verdict;
}

describe('a memory with fields to watch', () => {
	test('compares those, and the content before and after', () => {
		const memory = memoryOf(reported(of('paid')));
		expect(verdictOf(memory, of('paid'))).toBe('known');
		expect(verdictOf(memory, of('paid', 1))).toBe('unwatched');
		expect(verdictOf(memory, of('refunded'))).toBe('updated');
		expect(verdictOf(memory, of('refunded', 1))).toBe('updated');
		memory.follow(of('paid', 1));
		const { text, added, changed } = memory.write();
		expect([added, changed]).toEqual([0, 0]);
		expect([1, 100].map((amount) => verdictOf(memoryOf(text), of('paid', amount)))).toEqual(['known', 'unwatched']);
		// When nothing is watched any more, it knows the content that it followed.
		expect(verdictOf(memoryOf(text, []), of('paid', 1))).toBe('known');
		expect(verdictOf(memoryOf(text, []), of('paid'))).toBe('updated');
	});

	test('tells a field that is missing from one that is null, and takes a field that no record has', () => {
		const memory = memoryOf(reported(fingerprintOf({ id: 'tx', amount: 1 })));
		expect(verdictOf(memory, fingerprintOf({ id: 'tx', amount: 2 }))).toBe('unwatched');
		expect(verdictOf(memory, fingerprintOf({ id: 'tx', amount: 1, status: null }))).toBe('updated');
	});

	test('follows without changing the order, the day or what was added last', () => {
		const memory = memoryOf('');
		for (const id of [1, 2, 3]) memory.remember(fingerprintOf({ id, amount: 1 }), 'new');
		const before = memory.write();
		const again = memoryOf(before.text);
		again.follow(fingerprintOf({ id: 1, amount: 2, occurred_at: '2026-01-01T00:00:00Z' }));
		const { text } = again.write();
		const ids = (of: string) =>
			of
				.split('.')[0]!
				.match(/.{21}/g)!
				.map((entry) => entry.slice(0, 9));
		expect(ids(text)).toEqual(ids(before.text));
		expect(text.split('.').slice(1)).toEqual(before.text.split('.').slice(1));
		expect(text).not.toBe(before.text);
	});

	test.each<[string, readonly string[], readonly string[]]>([
		['from none to some', [], STATUS],
		['from some to others', ['amount'], STATUS],
		['from some to none', STATUS, []],
	])('%s: nothing changes by that, and what changes before it is returned once is a change', (_what, before, after) => {
		const memory = memoryOf('', before);
		memory.remember(of('paid'), 'new');
		memory.remember(fingerprintOf({ id: 'other', status: 'paid' }), 'new');
		const again = memoryOf(memory.write().text, after);
		expect(verdictOf(again, of('paid'))).toBe('known');
		expect(verdictOf(again, of('refunded'))).toBe('updated');
		expect(verdictOf(again, fingerprintOf({ id: 'other', status: 'paid', fee: 1 }))).toBe('updated');
		again.follow(of('paid'));
		const learned = memoryOf(again.write().text, after);
		expect(verdictOf(learned, of('paid', 1))).toBe(after.length === 0 ? 'updated' : 'unwatched');
		expect(verdictOf(learned, fingerprintOf({ id: 'other', status: 'paid', fee: 1 }))).toBe('updated');
	});

	test('stays as it was written until a record is returned', () => {
		const text = reported(of('paid'));
		const idle = memoryOf(text, ['amount']);
		expect([idle.size, idle.write().text]).toEqual([1, text]);
	});

	test('counts what is redelivered as changed, whichever fields have', () => {
		const [known, changed] = [of('paid'), of('refunded')];
		const memory = memoryOf(reported(known));
		const key = memory.remember(changed, 'updated');
		const { text, ...additions } = memory.write();
		const watchId = watchIdOf(STATUS);
		for (const rest of [
			withoutLast(text, true, additions),
			without(text, true, [{ newKeys: [], changedKeys: [key], watchId }]),
		]) {
			for (const version of [known, changed, of('paid', 1)]) expect(verdictOf(memoryOf(rest), version)).toBe('updated');
			expect(verdictOf(memoryOf(rest, []), changed)).toBe('updated');
		}
		expect(verdictOf(memoryOf(without(text, true, [{ newKeys: [key], changedKeys: [], watchId }])), changed)).toBe(
			'new',
		);
	});

	test('redelivers what n8n did not store, also after a change of another field, but not what was emitted since', () => {
		const memory = memoryOf(reported(of('paid')));
		const emission = {
			newKeys: [],
			changedKeys: [memoryOf('').remember(of('paid'), 'new')],
			watchId: watchIdOf(STATUS),
		};
		const compared = (text: string, fields: readonly string[] = STATUS) =>
			verdictOf(memoryOf(without(text, true, [emission]), fields), of('paid', 1));
		memory.follow(of('paid', 1));
		const followed = memory.write().text;
		expect(compared(followed)).toBe('updated');
		expect(compared(reported(of('paid'), of('refunded', 1)))).toBe('updated');
		const since = without(reported(of('paid'), of('refunded')), true, [emission]);
		expect(verdictOf(memoryOf(since), of('refunded'))).toBe('known');
		// Other fields to watch: nobody knows whether it was emitted since.
		for (const fields of [['amount'], []]) {
			const switched = memoryOf(followed, fields);
			switched.follow(of('paid', 1));
			expect(verdictOf(switched, of('paid', 1))).toBe('known');
			expect(compared(switched.write().text, fields)).toBe('updated');
		}
	});

	test('holds 40,000, and is a memory only with content', () => {
		const text = reported(of('paid'));
		expect([capacityFor(true, watchIdOf(STATUS)), memoryOf('').capacity]).toEqual([40_000, 40_000]);
		expect([isMemory(text, true), isMemory(text, false)]).toEqual([true, false]);
		expect([`${text}x`, `${text}.x`, text.slice(0, -1), text.slice(1)].map((one) => isMemory(one, true))).toEqual([
			false,
			false,
			false,
			false,
		]);
	});
});

const SETTINGS: PollSettings = {
	identity: 'me',
	keepsContent: true,
	afterRestart: 'recent',
	overlapMs: 300_000,
	startFrom: 'now',
	maxRecords: 5_000,
	matches: () => true,
	fieldsToWatch: STATUS,
};

/** What each poll emits that returns one page, with these settings. */
async function polls(...steps: Array<[RevenueRecord[], Partial<PollSettings>?]>) {
	let state: State = STATE;
	const emitted: unknown[] = [];
	const log: string[] = [];
	for (const [records, settings] of steps) {
		const { ports: pages, log: lines } = scriptedPages([{ records }], () => NOW);
		const ports: PollPorts = {
			...pages,
			now: () => NOW,
			process: undefined,
			begunAt: NOW,
			notStored: [],
			unacknowledged: [],
			isAwaited: false,
		};
		const polled = await pollOnce(state, { ...SETTINGS, ...settings }, ports);
		const read = readState(JSON.parse(JSON.stringify(polled.state)), 'me', true);
		({ state } = read as { state: State });
		emitted.push(polled.emitted.map(({ change, changedFields }) => [change, ...(changedFields ?? [])].join(' ')));
		log.push(...lines);
	}
	return { emitted, state, log };
}

const tx = (status: string, amount = 100) => ({ id: 'tx', status, amount });

describe('a poll with fields to watch', () => {
	test('emits only changes of those, and names what changed since the last time', async () => {
		const { emitted } = await polls([[tx('paid')]], [[tx('paid', 1)]], [[tx('refunded', 1)]], [[tx('refunded', 2)]]);
		expect(emitted).toEqual([['new'], [], ['updated amount status'], []]);
	});

	test('emits nothing because other fields are watched, and each change after that', async () => {
		const { emitted } = await polls(
			[[tx('paid')], { fieldsToWatch: [] }],
			[[tx('paid')]],
			[[tx('paid', 1)]],
			[[tx('paid', 1)], { fieldsToWatch: ['amount'] }],
			[[tx('paid', 2)], { fieldsToWatch: ['amount'] }],
			[[tx('paid', 2)], { fieldsToWatch: [] }],
			[[tx('refunded', 2)], { fieldsToWatch: [] }],
		);
		expect(emitted).toEqual([['new'], [], [], [], ['updated amount'], [], ['updated status']]);
	});

	test('emits a change that it is not sure of: before it knows the fields to watch', async () => {
		expect((await polls([[tx('paid')], { fieldsToWatch: [] }], [[tx('paid', 1)]], [[tx('paid', 2)]])).emitted).toEqual([
			['new'],
			['updated amount'],
			[],
		]);
	});

	test('says that the memory is full when it holds less than before', async () => {
		const both = [tx('paid'), { id: 'second' }];
		const { log } = await polls(
			[both, { fieldsToWatch: [], capacity: 3 }],
			[[], { capacity: 1 }],
			[both, { capacity: 1 }],
		);
		expect(log).toEqual([expect.stringContaining('The memory of transactions is full (1)')]);
	});

	test('drops details that it cannot read, and names no fields then', async () => {
		const { state } = await polls([[tx('paid')]]);
		const details = `${state.details}x`;
		expect(state.details).toHaveLength(50);
		expect(readState({ ...state, details }, 'me', true)).toEqual({ state: { ...state, details: undefined } });
	});
});

test.each<[string, boolean, readonly string[]]>([
	['New', false, []],
	['New or Updated', true, []],
	['fields to watch', true, STATUS],
])('the largest state stays below 1 MB: %s', (_what, keepsContent, fieldsToWatch) => {
	const capacity = capacityFor(keepsContent, watchIdOf(keepsContent ? fieldsToWatch : []));
	const memory = new Memory('', { keepsContent, today: TODAY, capacity, fieldsToWatch, kind: KIND });
	const YEARS = 10;
	const at = (number: number) => {
		const occurred_at = new Date((TODAY - ((number * 7) % (YEARS * 365))) * 86_400_000).toISOString();
		return fingerprintOf({ id: number, occurred_at });
	};
	// What the largest poll may add to the end comes from any day, too.
	for (let number = 0; number < capacity; number++)
		if (number < capacity - 30_000) memory.learn(at(number), 'known');
		else memory.remember(at(number), 'new');
	const { text, added, details } = memory.write();
	expect([added, memory.size]).toEqual([30_000, capacity]);
	const sweep = {
		...newSweep(NOW),
		horizon: TODAY,
		occurredSince: NOW,
		isAgain: true,
		startedAt: NOW,
		cursor: 'c'.repeat(1_000),
		trail: { mark: 'm'.repeat(22), steps: 1e6, reach: 1e6 },
	};
	const reading = { startedAt: NOW, horizon: TODAY, occurredSince: NOW };
	const readings = [reading, reading];
	const state: State = {
		...STATE,
		readings,
		sweep,
		last: {
			process: 'p'.repeat(36),
			repeats: true,
			added: 1e5,
			changed: 1e5,
			before: { activatedAt: null, watermark: NOW, readings, sweep },
		},
		census: { walk: sweep, walks: 2, before: NOW, pages: 1e6, learned: 1e6, readAt: NOW },
		memory: text,
		...(details !== undefined && { details }),
	};
	expect(JSON.stringify(state).length).toBeLessThan(1_000_000);
	expect(details !== undefined).toBe(keepsContent);
	if (details !== undefined) expect(text.length + details.length).toBeGreaterThan(949_900);
});
