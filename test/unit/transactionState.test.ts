import { newSweep, readState, writeState } from '../../nodes/TransactionTrigger/state';
import type { LastEmission, State } from '../../nodes/TransactionTrigger/state';

const STATE: State = { version: 1, identity: 'me', activatedAt: null, watermark: 1_000, sweep: null, emissions: 0, last: null, memory: 'abcdefghi' };
const SWEEP = { ...newSweep(500), startedAt: 900, cursor: 'c' };
const LAST: LastEmission = { process: 'p', repeats: false, added: 1, changed: 0, before: { activatedAt: null, watermark: 500, sweep: null } };

describe('saved state', () => {
	test('comes back as it was written, as a copy', () => {
		const saved: Record<string, unknown> = {};
		const state = { ...STATE, sweep: SWEEP, last: LAST };
		writeState(saved, state);
		expect(readState(JSON.parse(JSON.stringify(saved)), 'me', false)).toEqual({ state });
		const read = readState(saved, 'me', false) as { state: State };
		expect(read.state.sweep).not.toBe(saved.sweep);
	});

	test('may come from a time before emissions were counted and the last one kept', () => {
		const { last: _last, emissions: _emissions, ...older } = STATE;
		expect(readState(older, 'me', false)).toEqual({ state: STATE });
	});

	test('touches only what differs, since n8n saves what was touched', () => {
		const touched: string[] = [];
		const saved = new Proxy<Record<string, unknown>>({ ...STATE }, {
			set(target, name, value) {
				touched.push(String(name));
				return Reflect.set(target, name, value);
			},
		});
		writeState(saved, { ...STATE, watermark: 2_000 });
		expect(touched).toEqual(['watermark']);
	});

	test('there is none before the first poll, nor for another credential, base URL or event', () => {
		expect(readState({}, 'me', false)).toEqual({ state: undefined });
		expect(readState({ ...STATE }, 'other', true)).toEqual({ state: undefined });
	});

	test.each<[string, Record<string, unknown>]>([
		['another version', { version: 2 }],
		['no version', { version: undefined }],
		['no identity', { identity: 7 }],
		['a watermark that is no time', { watermark: 'yesterday' }],
		['a watermark that is not a number', { watermark: NaN }],
		['an activation that is no time', { activatedAt: 'then' }],
		['a memory that is no text', { memory: ['a'] }],
		['a memory cut short', { memory: 'abcdefgh' }],
		['a memory of another kind', { memory: 'abcdefg h' }],
		['a sweep that is no object', { sweep: 'c' }],
		['a sweep without its since', { sweep: { ...SWEEP, since: undefined } }],
		['a cursor that is no text', { sweep: { ...SWEEP, cursor: 7 } }],
		['a cursor without the sweep\'s start', { sweep: { ...SWEEP, startedAt: null } }],
		['a damaged trail', { sweep: { ...SWEEP, trail: { mark: '', steps: -1, reach: 1 } } }],
		['no sweep left out', { sweep: undefined }],
		['nowhere to go on from', { watermark: null }],
		['emissions that are no count', { emissions: -1 }],
		['a last emission that is none', { last: 'p' }],
		['a last emission of nobody', { last: { ...LAST, process: undefined } }],
		['a last emission that may or may not repeat', { last: { ...LAST, repeats: undefined } }],
		['a last emission larger than the memory', { last: { ...LAST, changed: 1 } }],
		['a last emission of less than nothing', { last: { ...LAST, added: -1 } }],
		['a last emission without where it began', { last: { ...LAST, before: { activatedAt: null, watermark: null, sweep: null } } }],
	])('is corrupt with %s', (_what, damage) => {
		expect(readState({ ...STATE, ...damage }, 'me', false)).toEqual({ problem: expect.any(String) });
	});
});
