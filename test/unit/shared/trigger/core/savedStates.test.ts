import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pollOnce } from '../../../../../nodes/shared/trigger/core/pollOnce';
import type { State } from '../../../../../nodes/shared/trigger/core/state';
import { idsOf, NOW, service, SETTINGS } from '../../../../support/scripted/ports';
import { readState } from '../../../../support/scripted/kind';

const savedBy = (release: string) =>
	JSON.parse(readFileSync(path.join(__dirname, 'savedStates', `${release}.json`), 'utf8')) as Record<string, unknown>;

/**
 * What the code of a release wrote: two pages of a sweep from a date are read, and their four records emitted as the
 * last thing that its process did; the third page is to come.
 */
function stateOf(release: string, over: object = {}): State {
	const read = readState({ ...savedBy(release), ...over }, 'me', true);
	if (!('state' in read) || read.state === undefined) throw new Error(`not read: ${JSON.stringify(read)}`);
	return read.state;
}

const settings = { ...SETTINGS, keepsContent: true, fieldsToWatch: ['status'] };
const record = (number: number) => ({
	id: `tx_${number}`,
	amount: 100,
	status: 'paid',
	occurred_at: '2026-01-20T11:59:00Z',
});
const ALL = [1, 2, 3, 4, 5, 6].map(record);

describe.each(['0.1.0', '0.2.0'])('a state of %s', (release) => {
	test('continues: nothing is lost and nothing arrives twice', async () => {
		const { ports, asked } = service({ records: ALL.slice(4) }, ...Array.from({ length: 4 }, () => ({ records: ALL })));
		let state = stateOf(release);
		const arrived: unknown[] = [];
		for (let polls = 0; polls < 3; polls++) {
			const polled = await pollOnce(state, settings, { ...ports, process: 'before' });
			arrived.push(...idsOf(polled));
			({ state } = polled);
		}
		expect(arrived).toEqual(['tx_5', 'tx_6']);
		expect(asked[0]).toEqual([expect.any(Number), 'b']);
	});

	test('is redelivered by another process: what n8n may not have stored arrives again', async () => {
		const { ports, asked } = service({ records: ALL });
		const polled = await pollOnce(stateOf(release), settings, { ...ports, process: 'after' });
		expect(idsOf(polled)).toEqual(ALL.map(({ id }) => id));
		expect(asked[0]).toEqual([expect.any(Number), null]);
	});
});

test('a state of 0.1.0 whose first poll, from a date, emitted: redelivered, and each later sweep begins there, too', async () => {
	const since = NOW - 86_400_000;
	const trail = { mark: '', steps: 0, reach: 1 };
	const before = { activatedAt: null, watermark: null, sweep: { since, startedAt: null, cursor: null, trail } };
	const last = { process: 'before', repeats: false, added: 4, changed: 0, before };
	const { ports, asked } = service(...Array.from({ length: 4 }, () => ({ records: ALL })));
	let state = stateOf('0.1.0', { watermark: NOW, sweep: null, last });
	const arrived: unknown[] = [];
	for (let polls = 0; polls < 4; polls++) {
		const polled = await pollOnce(state, settings, { ...ports, process: 'after' });
		arrived.push(...idsOf(polled));
		({ state } = polled);
	}
	expect(arrived).toEqual(ALL.map(({ id }) => id));
	expect(asked.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => [since, null]));
	expect(state.watermark).not.toBeNull();
});
