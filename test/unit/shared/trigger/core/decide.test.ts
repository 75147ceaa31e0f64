import type { Rules } from '../../../../../nodes/shared/trigger/core/decide.ts';
import { decide } from '../../../../../nodes/shared/trigger/core/decide.ts';
import type { Comparison, MemoryView } from '../../../../../nodes/shared/trigger/core/memory/memory.ts';
import { fingerprintOf } from '../../../../support/scripted/kind.ts';
import {
	emittedIds,
	NOW,
	OVERLAP,
	pollWith,
	service,
	SETTINGS,
	sweepFrom,
	sweepingWith,
} from '../../../../support/scripted/ports.ts';
import { SWEEP_RULES } from '../../../../support/scripted/verdicts.ts';

const DAY = 86_400_000;
const OCCURRED = 20_000 * DAY;
const fingerprint = fingerprintOf({ id: 'tx_1', occurred_at: new Date(OCCURRED).toISOString() });

const as = (comparison: Comparison | undefined, horizon = 0, isRedelivered = false): MemoryView => {
	return { compare: () => comparison, isRedelivered: () => isRedelivered, horizon };
};
const redelivered = (comparison: Comparison) => as(comparison, 0, true);
const NOTHING = as(undefined);
const FORGOTTEN = as(undefined, 20_001);

const start: Rules = { reader: 'start' };
const census = (startDate: number | null = null): Rules => ({ reader: 'census', startDate });
const sweep = (over: Partial<typeof SWEEP_RULES> = {}): Rules => ({ ...SWEEP_RULES, ...over });
const filtered = { failedFilter: () => 'Status' };

const DECISIONS: Array<[decision: string, MemoryView, Rules]> = [
	['old, there at the start', NOTHING, start],
	['ignored, in the memory already', as('unchanged'), start],
	['ignored, occurred before what the memory still has', FORGOTTEN, start],
	['unconfirmed, learned by the census', NOTHING, census()],
	['unconfirmed, learned by the census', NOTHING, census(OCCURRED + 1)],
	['ignored, did not occur before the start date', NOTHING, census(OCCURRED)],
	['ignored, in the memory already', as('unconfirmed'), census()],
	['unconfirmed, occurred before the start date', NOTHING, sweep({ startDate: OCCURRED + 1 })],
	['ignored, occurred before the start date', as('unconfirmed'), sweep({ startDate: OCCURRED + 1 })],
	['new, not in the memory', NOTHING, sweep({ startDate: OCCURRED })],
	['waiting, does not pass the filter Status', NOTHING, sweep({ ...filtered, hasCensus: true })],
	['waiting, does not pass the filter Status', as('unconfirmed'), sweep(filtered)],
	['waiting, does not pass the filter Status', redelivered('unconfirmed'), sweep(filtered)],
	['ignored, does not pass the filter Status', NOTHING, sweep(filtered)],
	['ignored, does not pass the filter Status', FORGOTTEN, sweep({ ...filtered, hasCensus: true })],
	['ignored, does not pass the filter Status', as('unchanged'), sweep({ ...filtered, hasCensus: true })],
	['updated, forgotten, so its return counts as a change', FORGOTTEN, sweep({ firstHorizon: 20_001 })],
	['known, occurred before what the memory still has', FORGOTTEN, sweep({ keepsContent: false, firstHorizon: 20_001 })],
	['new, not in the memory', FORGOTTEN, sweep()],
	['known, forgotten since the first reading', FORGOTTEN, sweep({ sweepHorizon: 20_001 })],
	['new, not in the memory', NOTHING, sweep({ sweepHorizon: 20_000 })],
	['new, unconfirmed, and returned', as('unconfirmed'), sweep()],
	['new, passes the filters now', as('waiting'), sweep()],
	['known, unchanged', as('unchanged'), sweep()],
	['known, seen before', as('unchanged'), sweep({ keepsContent: false })],
	['known, changed in no watched field', as('changed in no watched field'), sweep()],
	['updated, changed', as('changed'), sweep()],
	['new, redelivered: n8n may not have stored it', redelivered('unconfirmed'), sweep()],
	['updated, redelivered: n8n may not have stored it', redelivered('changed'), sweep()],
];

test.each(DECISIONS)('%s (%#)', (decision, known, rules) => {
	const { verdict, because } = decide(known, fingerprint, rules);
	expect(`${verdict}, ${because}`).toBe(decision);
});

test('a sweep from a date emits what occurred since', async () => {
	const occurredAt = (time: number) => ({ id: time, occurred_at: new Date(time).toISOString() });
	const { ports } = service({ records: [NOW - 1, NOW, NOW + 1].map(occurredAt) });
	const polled = await pollWith(sweepingWith(sweepFrom(NOW - OVERLAP, { startDate: NOW })), SETTINGS, ports);
	expect(emittedIds(polled)).toEqual([NOW, NOW + 1]);
});
