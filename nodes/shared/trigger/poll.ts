import { randomUUID } from 'node:crypto';
import type { INodeExecutionData, IPollFunctions, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { systemClock } from '../service/clock';
import { connect } from '../service/connection/connection';
import { isActivation, notePoll, noteStart, withStart } from './host/activation';
import { decisionLog } from './host/decisionLog';
import { forget, handOver, isOvertaken, noteSaving, outcomes } from './host/delivery';
import { itemsOf } from './items';
import { Endless, Passing, Stalled } from './core/failures';
import type { PollPorts, PollResult, PollSettings } from './core/pollOnce';
import { pollOnce } from './core/pollOnce';
import { PollTime, pollTimeMs } from './host/pollTime';
import { hasOnlyWaited, savedStateOf } from './host/savedState';
import { impatient, readSettings } from './parameters/settings';
import type { State } from './core/state';
import { readState } from './core/state';
import { recent } from './core/redeliver';
import { testEvent } from './testEvent';
import { RecordPages } from './host/recordPages';
import type { Source } from './source';

// n8n notices when two polls of one node run at once, but lets them. Both would emit the same.
const underWay = new Map<string, IPollFunctions>();

const thisProcess = randomUUID();
const begunAt = systemClock.now();

const ENDLESS =
	'Report this to the service: this trigger needs another cursor for each page. It starts over with every poll, and loses nothing meanwhile.';

const STALLED =
	'The service does not accept a cursor for as long as this trigger needs from one poll to the next, and one poll cannot read the whole list. Poll more often, use a credential whose rate limit nothing else uses up, or raise "Maximum Wait" under Options, so that a poll waits for the rate limit. For a shorter list, duplicate this node, set "Start From" of the copy to a later date, connect it and delete this one. Nothing is lost meanwhile.';

// How long an activation waits for the end of an execution. n8n saves the state when the activation is over.
const WAIT_FOR_END_MS = 10_000;

// Triggers whose last emission by another process this one has repeated. Once is enough: where several processes poll one
// trigger in turn (n8n's scheduler on several main instances), each would repeat the other's forever.
const repeated = new Set<string>();

/**
 * Starts an execution with what is new and returns null. Under durable cursors it returns what is new, for n8n to store it
 * together with the state. The state changes only when the poll succeeds.
 * @throws NodeApiError with its cause where that is known, or else the service's HTTP code, on which n8n bases its backoff;
 * NodeOperationError for a parameter or a saved state that cannot be used.
 */
export async function poll(functions: IPollFunctions, source: Source): Promise<INodeExecutionData[][] | null> {
	if (functions.getMode() === 'manual') return [await testEvent(functions, source)];
	const activates = isActivation(functions);
	notePoll(functions);
	const trigger = `${functions.getWorkflow().id ?? ''}\n${functions.getNode().id}`;
	// An activation continues from the state, so it would emit again what an earlier poll may yet emit. n8n 2.x drops what
	// the earlier poll returns; n8n 1.x emits it (measured on 1.123.81).
	if (underWay.has(trigger) && !activates) {
		doNothing(functions, 'the previous poll is still under way');
		return null;
	}
	underWay.set(trigger, functions);
	try {
		const prepared = await prepare(functions, source, trigger, activates);
		if (prepared === undefined) {
			doNothing(functions, 'n8n read the state before it stored that of the previous poll');
			return null;
		}
		const { state, settings, ports } = prepared;
		const polled = await pollOnce(state, settings, ports).catch((failure: unknown) => {
			throw errorOf(functions, failure);
		});
		if (underWay.get(trigger) !== functions) {
			doNothing(functions, 'the workflow was published again meanwhile');
			return null;
		}
		return await deliver(functions, prepared, polled);
	} finally {
		if (underWay.get(trigger) === functions) underWay.delete(trigger);
	}
}

/** Reads the settings, the state and the outcomes of earlier polls; none when n8n passed a state that a poll has replaced. */
async function prepare(functions: IPollFunctions, source: Source, trigger: string, activates: boolean) {
	const connection = await connect(functions);
	const { poll: parameters, retry } = readSettings(functions, connection, source);
	const now = systemClock.monotonic();
	const settings: PollSettings = { ...parameters, ...(repeated.has(trigger) && { afterRestart: 'never' }) };
	const saved = savedStateOf(functions, systemClock.now(), source);
	const state = withStart(trigger, readSavedState(functions, saved.value, settings, source));
	if (saved.isDurable && isOvertaken(trigger, settings.identity, state, now)) return undefined;
	// Emissions of another credential or event do not belong to this state.
	const subject = `${trigger}\n${settings.identity}`;
	const trustsSilence = functions.__commitCursor !== undefined || parameters.afterRestart === 'never';
	const { notStored, unacknowledged, isSecondTry } = outcomes(subject, now, trustsSilence);
	const isFirst = state === undefined;
	const isHurried = activates || isFirst;
	const time = new PollTime(pollTimeMs(functions, isHurried), systemClock);
	const pages = new RecordPages(functions, connection, source, isHurried ? impatient(retry) : retry, time, isFirst);
	const pagesInPassing = new RecordPages(functions, connection, source, impatient(retry), time, isFirst);
	const ports: PollPorts = {
		kind: source.kind,
		fetchPage: async (since, cursor, inPassing) => await (inPassing ? pagesInPassing : pages).fetch(since, cursor),
		hasTime: () => time.hasTimeForPage(),
		note: (message) => functions.logger.info(`${functions.getNode().name}: ${message}`),
		report: (message) => functions.logger.warn(`${functions.getNode().name}: ${connection.redact(message)}`),
		logDecision: decisionLog(functions, connection),
		now: () => systemClock.now(),
		activates,
		process: saved.isDurable ? undefined : thisProcess,
		begunAt,
		notStored,
		unacknowledged,
	};
	return { trigger, subject, now, saved, state, settings, ports, pages, isSecondTry };
}

/** What a poll continues from, and with. */
type Prepared = NonNullable<Awaited<ReturnType<typeof prepare>>>;

/** Saves the state, and passes what was emitted to n8n: as items under durable cursors, otherwise as an execution. */
async function deliver(
	functions: IPollFunctions,
	{ trigger, subject, now, saved, state, settings, ports, pages, isSecondTry }: Prepared,
	{ emitted, state: next, repeats, emission }: PollResult,
): Promise<INodeExecutionData[][] | null> {
	if (state === undefined) noteStart(trigger, now);
	const isIdle = state !== undefined && pages.count === 0 && hasOnlyWaited(state, next);
	if (!(saved.isCostly && isIdle)) saved.write(next);
	forget(subject, ports.notStored);
	if (repeats) repeated.add(trigger);
	const noteSaved = () => noteSaving(trigger, next, systemClock.monotonic());
	if (emission === undefined) {
		if (state === undefined && (await saveStart(functions)) && saved.isDurable) noteSaved();
		return null;
	}
	const items = itemsOf(emitted, settings.keepsContent);
	if (saved.isDurable) {
		noteSaved();
		return [items];
	}
	const attempt = { emission, at: systemClock.monotonic(), isSecondTry };
	const stored = handOver(functions, subject, items, attempt, ports.kind.plural);
	const mayWait = ports.activates && recent(ports.unacknowledged, systemClock.now()).length === 0;
	const isStored = mayWait && (await isStoredSoon(stored));
	if (isStored && underWay.get(trigger) === functions) saved.write({ ...next, last: null });
	return null;
}

function doNothing(functions: IPollFunctions, reason: string): void {
	functions.logger.info(`${functions.getNode().name}: ${reason}, so this poll does nothing`);
}

function readSavedState(
	functions: IPollFunctions,
	saved: Readonly<Record<string, unknown>>,
	{ identity, keepsContent }: PollSettings,
	{ kind, whereItWas }: Source,
): State | undefined {
	const read = readState(saved, identity, keepsContent, kind.fields);
	if ('state' in read) return read.state;
	throw new NodeOperationError(functions.getNode(), `The saved state of this trigger cannot be used: ${read.problem}`, {
		description: `Nothing was changed. To start over, duplicate this node, connect the copy and delete this one. To lose nothing, set "Start From" of the copy to ${whereItWas}.`,
	});
}

/**
 * Whether the execution ends, and so is stored, while the activation can wait for it. The saved state then says so, and no
 * later process repeats it.
 */
async function isStoredSoon(stored: Promise<boolean>): Promise<boolean> {
	const over = new AbortController();
	const tooLate = systemClock.wait(WAIT_FOR_END_MS, over.signal).then(() => false);
	try {
		return await Promise.race([stored, tooLate]);
	} finally {
		over.abort();
	}
}

/**
 * Saves the start, and returns whether n8n could. Measured on n8n 2.41.1: under durable cursors n8n drops the state that an
 * activation's poll leaves when it emits nothing. Records between the activation and the next poll would then count as
 * old. Elsewhere this does nothing.
 */
async function saveStart(functions: IPollFunctions): Promise<boolean> {
	try {
		await functions.__commitCursor?.();
		return true;
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		functions.logger.warn(
			`${functions.getNode().name}: the start could not be saved; the next poll starts over. Reason: ${reason}`,
		);
		return false;
	}
}

/** What n8n gets for a failure of the core. */
function errorOf(functions: IPollFunctions, failure: unknown): unknown {
	if (failure instanceof Passing) return failure.cause;
	if (!(failure instanceof Endless || failure instanceof Stalled)) return failure;
	const { message } = failure;
	return new NodeApiError(functions.getNode(), { message } as JsonObject, {
		message,
		description: failure instanceof Endless ? ENDLESS : STALLED,
	});
}
