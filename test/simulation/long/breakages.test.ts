import { manualRecords } from '../../../nodes/ManualRecordTrigger/manualRecords.ts';
import type { RecordKind } from '../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import { transactions } from '../../../nodes/TransactionTrigger/transactions.ts';
import type { Core } from '../core.ts';
import { loadCore } from '../core.ts';
import type { Breakage } from '../moduleLoader.ts';
import { COMBINATIONS, failureOf, search } from '../search.ts';

// Fixed seeds, one per combination: finding a breakage must not depend on luck.
const FIRST_SEED = 20260301;

const SCHEDULES_PER_COMBINATION = 139;

/** `first` is the combination that shows a rare one: the search begins with it. */
const BREAKAGES: Array<[name: string, breakage: Breakage, found: RegExp, kind?: RecordKind, first?: number]> = [
	[
		'the census learns nothing where no field says when a record occurred',
		{ file: 'decide.ts', line: 'const { occurredAt = -Infinity } =', instead: 'const { occurredAt = Infinity } =' },
		/merely changed, yet new/,
		manualRecords.kind,
		6,
	],
	[
		'a date that says nothing decides what is old',
		{
			file: 'memory/fingerprint.ts',
			line: 'kind.occurredAt === undefined ? undefined : momentOf(record[kind.occurredAt])',
			instead: 'momentOf(record.due_at)',
		},
		/lost/,
		manualRecords.kind,
		8,
	],
	[
		'the watermark is that of the last page, not of the first',
		{ file: 'walk.ts', line: 'endWalk(begun,', instead: 'endWalk({ ...begun, startedAt: page.asOf },' },
		/never begins later/,
	],
	[
		'a sweep begins strictly at the watermark, without the overlap',
		{
			file: 'period.ts',
			line: 'Math.min(watermark, earliestStart(readings)) - overlapMs,',
			instead: 'readings.at(-1)?.startedAt ?? watermark,',
		},
		/lost/,
	],
	[
		'the overlap reaches back behind the very first sweep',
		{
			file: 'period.ts',
			line: 'Math.max(Math.min(watermark, earliestStart(readings)) - overlapMs, earliest)',
			instead: 'Math.min(watermark, earliestStart(readings)) - overlapMs',
		},
		/its sweep began too early/,
	],
	[
		'a poll that pauses a sweep ends the census',
		{ file: 'cycle.ts', line: '{ ...state, sweep: { ...sweep, walk } }', instead: '{ ...state, sweep, census: null }' },
		/pauseSweep changes census/,
	],
	[
		'the progress of a poll without anything to emit is discarded',
		{ file: 'fatal.ts', line: 'rest.next?.cursor === before.walk.next?.cursor', instead: 'true' },
		/a poll fails that could come on/,
	],
	[
		'cursors that never last to the end of a sweep are not reported',
		{ file: 'cycle.ts', line: 'inVain: inVain + 1', instead: 'inVain' },
		/stands still without a word/,
	],
	[
		'an activation fails for a failure that passes',
		{
			file: 'occasion.ts',
			line: "return occasion === 'first' || occasion === 'unattended' || occasion === 'activation';",
			instead: 'return false;',
		},
		/switched off/,
	],
	[
		'the memory remembers nothing',
		{ file: 'finds.ts', line: 'remember(fingerprint,', instead: "remember({ ...fingerprint, id: 'another__' }," },
		/arrived \d+ times|old, yet emitted|come to rest|without a word/,
	],
	[
		'a sweep that stopped half-way advances the watermark',
		{
			file: 'walk.ts',
			line: "if (!takesAll) return paused('the limit is reached');",
			instead:
				'if (!takesAll) return { ...seen(), end: "complete", startedAt: begun.startedAt, latest: page.latest, hadOnePage: false };',
		},
		/lost/,
	],
	[
		"the local clock alone is used for the service's",
		{ file: 'serviceTime.ts', line: 'asOf: Math.min(sentAt, readAt)', instead: 'asOf: sentAt' },
		/lost/,
	],
	[
		"the Date header alone is used for the service's clock",
		{ file: 'serviceTime.ts', line: 'Math.min(sentAt, ', instead: '(' },
		/lost/,
	],
	[
		'a page that was emitted in part counts as read',
		{ file: 'finds.ts', line: 'return !isLeft;', instead: 'return true;' },
		/lost/,
	],
	[
		'a rejected cursor ends the sweep',
		{
			file: 'walk.ts',
			line: 'rest = startOver(rest);',
			instead: 'return { ...seen(), end: "complete", startedAt: rest.startedAt ?? 0, latest: 0, hadOnePage: false };',
		},
		/lost/,
	],
	[
		'where the first sweep begins is not saved',
		{ file: 'saved/savedState.ts', line: 'activatedAt: null, earliest', instead: 'activatedAt: null, earliest: null' },
		/does not say where to continue/,
	],
	[
		'the last emission of another process counts as stored',
		{ file: 'delivery.ts', line: 'noted?.process === process.name', instead: 'process.name !== undefined' },
		/lost/,
	],
	[
		'where it began is restored, but the last emission is not forgotten',
		{ file: 'pollOnce.ts', line: 'memory.redeliver(redelivered);', instead: '' },
		/lost/,
	],
	[
		'a record that changed in the last emission stays known with its new content',
		{ file: 'memory/emitted.ts', line: '...unknown, day: today }', instead: 'day: today }' },
		/lost/,
	],
	[
		'where the last emission began is noted after it instead of before',
		{ file: 'pollOnce.ts', line: 'origin: afterSweep.origin }', instead: 'origin: positionOf(next) }' },
		/lost/,
	],
	[
		'a process redelivers its own last emission',
		{ file: 'delivery.ts', line: 'noted?.process === process.name', instead: 'false' },
		/does not come to rest|arrived \d+ times/,
	],
	[
		'a restart repeats more than the last emission',
		{ file: 'memory/memory.ts', line: 'const keys =', instead: 'memory.entries.clear(); const keys =' },
		/arrived \d+ times|old, yet emitted/,
	],
	[
		'the last emission is unacknowledged although it was stored together with the state',
		{ file: 'delivery.ts', line: "Process['name'], tail: Tail", instead: "Process['name'] = 'any', tail: Tail" },
		/does not come to rest|arrived \d+ times/,
	],
	[
		'Never Repeat repeats',
		{ file: 'delivery.ts', line: "if (afterRestart === 'never') return 'never repeated';", instead: '' },
		/arrived \d+ times/,
	],
	[
		'what n8n did not store counts as stored',
		{
			file: 'delivery.ts',
			line: '[...own, ...(ofAnother === undefined ? [] : [ofAnother])]',
			instead: 'ofAnother === undefined ? [] : [ofAnother]',
		},
		/lost/,
	],
	[
		'what n8n has failed to store counts as stored some minutes later in the next process',
		{ file: 'delivery.ts', line: 'redelivery.failedBefore ? STAYS_RECENT : now', instead: 'now' },
		/lost/,
		transactions.kind,
		6,
	],
	[
		'a restart long after an emission repeats it',
		{ file: 'delivery.ts', line: '&& !isRecent(last, begunAt, now)', instead: '&& isRecent === undefined' },
		/arrived \d+ times/,
	],
	[
		'what was added last is not kept together at the end of the memory',
		{ file: 'memory/memory.ts', line: '(const id of [...ofNew, ...ofUpdated]', instead: '(const id of [] as string[]' },
		/lost|arrived \d+ times/,
	],
	[
		'the last of three sweeps gives the watermark, not the first',
		{
			file: 'period.ts',
			line: 'watermark: counted[0].startedAt, readings: counted.slice(1)',
			instead: 'watermark: reading.startedAt, readings: []',
		},
		/lost/,
	],
	[
		'what the census learns is old at once',
		{ file: 'decide.ts', line: "'unconfirmed', because: 'learned by the census'", instead: "'old', because: ''" },
		/lost/,
	],
	[
		'what a sweep from a date finds from before the date is old at once',
		{ file: 'decide.ts', line: "isUnseen ? 'unconfirmed'", instead: "isUnseen ? 'old'" },
		/lost/,
	],
	[
		'a sweep that is not complete confirms what is unconfirmed',
		{
			file: 'pollOnce.ts',
			line: "if (walked.end === 'complete') {",
			instead:
				"if (sweep.mode.kind === 'usual') memory.confirm({ hadOnePage: true, hasCensus: true }); if (walked.end === 'complete') {",
		},
		/lost/,
	],
	[
		'there is no census',
		{ file: 'pollOnce.ts', line: "if (state.phase !== 'between' ||", instead: 'if (true ||' },
		/merely changed|come to rest/,
	],
	[
		'the census reads only recent changes',
		{ file: 'state.ts', line: '{ walk: newWalk(0)', instead: '{ walk: newWalk(Date.parse("2026-03-01T12:10:00Z"))' },
		/merely changed/,
	],
	[
		'a change of any field counts',
		{
			file: 'memory/memory.ts',
			line: "isSameInWatched ? 'changed in no watched field' : 'changed'",
			instead: "'changed'",
		},
		/changed in no watched field/,
	],
	[
		'what is redelivered keeps what is known of its fields to watch',
		{ file: 'memory/emitted.ts', line: 'watched: watchId && UNKNOWN_WATCHED,', instead: '' },
		/lost/,
	],
	[
		'other fields to watch count as unchanged until they are known',
		{
			file: 'memory/memory.ts',
			line: 'watched === watchedOf(fingerprint.record, this.options.fieldsToWatch);',
			instead: "(watched === '------' || watched === watchedOf(fingerprint.record, this.options.fieldsToWatch));",
		},
		/lost/,
	],
	[
		'other fields to watch make everything a change',
		{ file: 'memory/emitted.ts', line: '...entry, watched:', instead: '...entry, content: UNKNOWN_CONTENT, watched:' },
		/arrived \d+ times/,
	],
	[
		'the changed fields are those since another content',
		{
			file: 'memory/details.ts',
			line: 'this.replace(earlier, content, this.slotsOf(record));',
			instead: 'this.replace(earlier, content, this.slotsOf({}));',
		},
		/names .* as changed/,
	],
];

async function firstFinding(core: Core, kind: RecordKind, first: number): Promise<string> {
	const all = [...COMBINATIONS.entries()];
	for (const [index, gaps] of [...all.slice(first), ...all.slice(0, first)]) {
		const run = search(core, gaps, SCHEDULES_PER_COMBINATION, FIRST_SEED + index, false, kind);
		const failure = await failureOf(run);
		if (failure !== undefined) return failure.message;
	}
	return 'nothing';
}

describe('the simulation finds every deliberate breakage', () => {
	test.each(BREAKAGES)('%s', async (_name, breakage, expected, kind = transactions.kind, first = 0) => {
		const core = loadCore(breakage);
		expect(await firstFinding(core, kind, first)).toMatch(expected);
	});

	test('a breakage whose line is gone is an error, not a pass', () => {
		expect(() => loadCore({ file: 'walk.ts', line: 'no such line', instead: '' })).toThrow('core/walk.ts exactly once');
	});
});
