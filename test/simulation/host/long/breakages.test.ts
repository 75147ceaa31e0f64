import type { Breakage } from '../../moduleLoader.ts';
import { failureOf } from '../../search.ts';
import {
	ADDED,
	COPIED,
	IN_FLIGHT,
	LATE_RESTART,
	STALE_COPY,
	UNSAVED_START,
	UNSAVED_START_DATE,
} from '../counterexamples.ts';
import type { Schedule } from '../schedule.ts';
import { pollerLoader, search, simulate } from '../world.ts';

// A fixed seed: finding a breakage must not depend on luck.
const SEED = 20261127;
/** Twice as many as any of them takes; what takes more has a schedule of its own. */
const SCHEDULES = 200;

const CLAIMS = 'shared/trigger/host/claims.ts';
const DELIVERY = 'shared/trigger/core/delivery.ts';
const STORE = 'shared/trigger/host/store/store.ts';
const STATIC_DATA = 'shared/trigger/host/store/staticData.ts';
const OTHERS = 'shared/trigger/host/store/others.ts';
const EXECUTIONS = 'shared/trigger/host/store/executions.ts';
const DURABLE = 'shared/trigger/host/store/durableCursors.ts';

const BREAKAGES: Array<[name: string, breakage: Breakage, found: RegExp, schedule?: Schedule]> = [
	[
		'a poll that another one has overtaken emits its records',
		{ file: STORE, line: 'if (!claim.isHeld())', instead: 'if (false)' },
		/arrived \d+ times/,
	],
	[
		'a poll does not release its claim',
		{ file: CLAIMS, line: 'if (isHeld()) trigger.held = undefined;', instead: '' },
		/lost|come to rest/,
	],
	[
		'two polls of one trigger hold it',
		{ file: CLAIMS, line: '() => trigger.held === held;', instead: '() => true;' },
		/arrived \d+ times/,
	],
	[
		'a poll that hangs holds its trigger for ever',
		{ file: CLAIMS, line: 'now < trigger.held.until && ', instead: '' },
		/lost/,
	],
	[
		'the start is not noted',
		{ file: STORE, line: 'trigger.start = { ...start, at: openedAt };', instead: ';' },
		/lost/,
		UNSAVED_START_DATE,
	],
	[
		'the state that this process wrote last is ignored',
		{ file: STATIC_DATA, line: '(isSavedForm(ofNode) ? ofNode : {}), trigger.written)', instead: '{}, undefined)' },
		/lost|arrived \d+ times|come to rest/,
	],
	[
		'an activation acknowledges an execution that n8n may not have stored',
		{ file: STATIC_DATA, line: '(await endsWithin(WAIT_FOR_END_MS, stored)) && (await stored)', instead: 'true' },
		/lost/,
	],
	[
		'an activation acknowledges while another execution is in flight',
		{ file: STATIC_DATA, line: 'isActivation && redelivery.inFlight.length === 0', instead: 'isActivation' },
		/lost/,
		IN_FLIGHT,
	],
	[
		'a copy that n8n saves after a wait is not brought up to date',
		{ file: STATIC_DATA, line: 'else catchUp();', instead: '' },
		/lost/,
		STALE_COPY,
	],
	[
		'what was redelivered stays to be redelivered',
		{ file: STATIC_DATA, line: 'if (origin !== undefined) executions.settle(redelivery, origin);', instead: '' },
		/lost|arrived \d+ times|come to rest/,
	],
	[
		'the state is saved without that of a trigger which the copy lacks',
		{
			file: OTHERS,
			line: 'new Set([...Object.keys(global), ...keysOfKnown(functions)])',
			instead: 'Object.keys(global)',
		},
		/lost/,
		ADDED,
	],
	[
		'the last execution repeats after a restart, however late',
		{ file: DELIVERY, line: "afterRestart === 'recent' && !isRecent(last, begunAt, now);", instead: 'false;' },
		/arrived 2 times/,
		LATE_RESTART,
	],
	[
		'the state is saved with older ones of the other triggers',
		{ file: OTHERS, line: 'const latest = later(entry, other.written);', instead: 'const latest = entry;' },
		/lost/,
		COPIED,
	],
	[
		'the earlier of two states counts',
		{ file: OTHERS, line: 'revisionOf(saved) < revisionOf(written)', instead: 'false' },
		/lost|arrived \d+ times|come to rest/,
	],
	[
		'what n8n did not store is forgotten',
		{ file: EXECUTIONS, line: "[{ ...one, state: 'failed' }]", instead: '[]' },
		/lost/,
	],
	[
		'what n8n says it stored is not forgotten',
		{ file: EXECUTIONS, line: 'isStored ? [] :', instead: 'isStored ? [one] :' },
		/lost|arrived \d+ times|come to rest/,
	],
	[
		'the silence of n8n 1.x counts as a success',
		{ file: EXECUTIONS, line: '!trustsSilence && now - handedOverAt >= SILENT_AFTER_MS', instead: 'false' },
		/lost/,
	],
	[
		'durable cursors begin anew',
		{ file: DURABLE, line: 'isSavedForm(ofNode) ? ofNode : (ofWorkflow ?? {})', instead: 'ofNode' },
		/lost/,
	],
	[
		'a start that n8n could not store is forgotten',
		{ file: DURABLE, line: 'trigger.unsavedStart = savedFormOf(next) as IDataObject;', instead: '' },
		/lost/,
		UNSAVED_START,
	],
	[
		'the start is not saved',
		{
			file: DURABLE,
			line: 'if (previous === undefined || trigger.unsavedStart !== undefined)',
			instead: 'if (trigger.unsavedStart)',
		},
		/lost/,
	],
	[
		'a poll begins from the state before the last one',
		{ file: DURABLE, line: 'if (committed?.subject !== subject) return false;', instead: 'return false;' },
		/arrived \d+ times/,
	],
	[
		'a state that n8n could not store is waited for without end',
		{ file: DURABLE, line: 'systemClock.monotonic() - committed.at >= STORED_WITHIN_MS', instead: 'false' },
		/lost/,
	],
];

describe('the simulation finds every deliberate breakage', () => {
	// jest takes an argument that a row lacks for a callback, and waits for it.
	test.each(BREAKAGES)(
		'%s',
		async (...[_name, breakage, found, schedule]) => {
			const load = pollerLoader(breakage);
			const run = schedule === undefined ? search(load, SCHEDULES, SEED, false) : simulate(load, schedule);
			expect((await failureOf(run))?.message ?? 'nothing').toMatch(found);
		},
		300_000,
	);

	test('nothing else than: an activation acknowledges while another execution is in flight', async () => {
		await simulate(pollerLoader(), IN_FLIGHT);
	});
});
