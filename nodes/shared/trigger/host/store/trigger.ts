import { randomUUID } from 'node:crypto';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../../service/clock';
import type { Checkpoint } from '../../core/delivery';
import type { Saved } from '../../core/saved/parts';
import type { Source } from '../../source';
import { Executions } from './executions';

/** This process; `begunAt` is n8n's clock, in milliseconds since the epoch. */
export const thisProcess = { name: randomUUID(), begunAt: systemClock.now() };

/** How long a node without a poll stays known. n8n's longest interval is a month; that of a cron expression may be longer. */
export const GONE_AFTER_MS = 90 * 86_400_000;

/**
 * What this process knows of one trigger. It outlives n8n's own objects, which each publishing of the workflow replaces.
 *
 * polledAt           A poll begins (`pollingTrigger`).
 * held               A poll is under way (claims.ts).
 * toldAt             A poll that does nothing has said so (poll.ts).
 * start              A poll without a checkpoint saves one (store.ts). It stays until a poll begins another start.
 * redeliveredFrom    A poll has redelivered the last emission of another process (store.ts).
 * written            A poll without durable cursors saves a state (staticData.ts).
 * bySubject          A poll without durable cursors begins a subject anew, which forgets the executions known before (staticData.ts;
 *                    executions.ts has the table of an execution).
 * committed          A poll under durable cursors has started the trigger or emitted records. It counts for 30 seconds, and for its
 *                    subject (`isOvertaken` in durableCursors.ts).
 * unsavedStart       n8n could not store the start (durableCursors.ts). It goes once n8n has a state that is no earlier. Meanwhile a
 *                    poll may emit, so both may be set.
 */
export class Trigger {
	/** @param stateKey the key of its state in the workflow's global static data. */
	constructor(readonly stateKey: string) {}

	/** When the trigger polled last, on the monotonic clock. */
	polledAt = 0;
	/** When n8n's log last said for this reason that a poll does nothing, on the monotonic clock. */
	readonly toldAt = new Map<string, number>();
	/** The poll under way, and until when it may hold the trigger, on the monotonic clock. */
	held: { until: number } | undefined;
	/**
	 * The last start that this process made, `at` on the monotonic clock. Another process may have begun anew since. Under durable
	 * cursors n8n may not store the first records, nor the state with them: then the same start is made again, at the same time.
	 */
	start: (Pick<Checkpoint, 'subject' | 'revision'> & { at: number }) | undefined;
	/** See Process. */
	readonly redeliveredFrom = new Set<string>();
	/**
	 * The state that this process wrote last without durable cursors. n8n saves the whole column of static data from one of several
	 * copies, and so may put an older state back: from an execution whose nodes write static data and that ends after a later poll,
	 * or from another trigger of the workflow that n8n did not reload with it (measured on 2.41.1).
	 */
	written: Saved | undefined;
	/** The last state under durable cursors that started the trigger or came with records; `at` is on the monotonic clock. */
	committed: (Pick<Checkpoint, 'subject' | 'revision'> & { at: number }) | undefined;

	/**
	 * The first state, if n8n could not store it under durable cursors. n8n then has none, or that of another credential, base URL or
	 * event, and what came since would count as old.
	 */
	unsavedStart: IDataObject | undefined;

	/** The executions of each subject, since this process first saved its state. None under durable cursors. */
	readonly bySubject = new Map<string, Executions>();

	/**
	 * Returns the time of the activation by n8n's clock as it is now, which may have been set since; `undefined` unless this process
	 * started the trigger. Only that process can measure the time.
	 */
	activatedAt({ subject, revision }: Pick<Checkpoint, 'subject' | 'revision'>): number | undefined {
		const { start } = this;
		if (start?.subject !== subject || start.revision !== revision) return undefined;
		return systemClock.now() - (systemClock.monotonic() - start.at);
	}

	/** Begins an empty list of executions: a trigger that begins anew has nothing to redeliver. */
	beginAnew(subject: string): Executions {
		this.bySubject.get(subject)?.forgetAll();
		const executions = new Executions();
		this.bySubject.set(subject, executions);
		return executions;
	}

	/** Whether n8n may not have stored an emission of this trigger. */
	get isAwaitingN8n(): boolean {
		return [...this.bySubject.values()].some((one) => one.isAwaitingN8n);
	}
}

const triggers = new Map<string, Trigger>();

/**
 * Returns the trigger that polls with these functions, and notes that it polls now. Forgets triggers whose node has not polled here
 * for 90 days, unless n8n may not have stored their emissions. Each may hold a state of a megabyte.
 */
export function pollingTrigger(functions: IPollFunctions, { stateKeyPrefix }: Pick<Source, 'stateKeyPrefix'>): Trigger {
	const stateKey = stateKeyPrefix + functions.getNode().id;
	const name = nameOf(functions, stateKey);
	const trigger = triggers.get(name) ?? new Trigger(stateKey);
	trigger.polledAt = systemClock.monotonic();
	triggers.set(name, trigger);
	for (const [known, other] of triggers) {
		if (trigger.polledAt - other.polledAt > GONE_AFTER_MS && !other.isAwaitingN8n) triggers.delete(known);
	}
	return trigger;
}

/** Returns the trigger of that name; `undefined` if it is gone, or has never polled here. */
export function knownTrigger(name: string): Trigger | undefined {
	return triggers.get(name);
}

/** Returns the keys of the states of the workflow's triggers that have polled here. */
export function keysOfKnown(functions: IPollFunctions): string[] {
	const workflow = nameOf(functions, '');
	return [...triggers.keys()].filter((name) => name.startsWith(workflow)).map((name) => name.slice(workflow.length));
}

/** Returns the name of a trigger in this process: its workflow and the key of its state. */
export function nameOf(functions: IPollFunctions, stateKey: string): string {
	return `${functions.getWorkflow().id ?? ''}\n${stateKey}`;
}
