import { randomUUID } from 'node:crypto';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../../service/clock';
import type { Checkpoint } from '../../core/delivery';
import type { Saved } from '../../core/saved/parts';
import type { Source } from '../../source';
import { Executions } from './executions';

/** See Process. */
export const thisProcess = { name: randomUUID(), begunAt: systemClock.now() };

/** How long a node without a poll stays known. n8n's longest interval is a month; that of a cron expression may be longer. */
export const GONE_AFTER_MS = 90 * 86_400_000;

/**
 * What this process knows of one trigger. It outlives n8n's own objects, which each publishing of the workflow replaces. Its times
 * are those of the monotonic clock.
 */
export class Trigger {
	/** @param stateKey the key of its state in the workflow's global static data. */
	constructor(readonly stateKey: string) {}

	polledAt = 0;
	/** When n8n's log last said for this reason that a poll does nothing. */
	readonly toldAt = new Map<string, number>();
	/** The poll under way, and until when it may hold the trigger. */
	held: { until: number } | undefined;
	/**
	 * The last start that this process made, until it makes another; another process may have begun anew since. Under durable cursors
	 * n8n may not store the first records, nor the state with them: then the same start is made again, at the same time.
	 */
	start: (Pick<Checkpoint, 'subject' | 'revision'> & { at: number }) | undefined;
	/** See Process. */
	readonly redeliveredFrom = new Set<string>();
	/**
	 * The state that this process wrote last without durable cursors. n8n saves the static data from one of several copies, and so may
	 * put an older state back: from an execution whose nodes write static data and that ends after a later poll, or from another
	 * trigger of the workflow that n8n did not reload with it (measured on 2.41.1).
	 */
	written: Saved | undefined;
	/**
	 * The last state under durable cursors that started the trigger or came with records. `isOvertaken` counts it for 30 seconds, for
	 * its subject; a start of another subject gets a higher revision.
	 */
	committed: (Pick<Checkpoint, 'subject' | 'revision'> & { at: number }) | undefined;
	/**
	 * The state since a start that n8n could not store under durable cursors, until n8n has it or a later one: without it, what came
	 * since would count as old. Meanwhile a poll may emit, so `committed` may be set, too.
	 */
	unsavedStart: IDataObject | undefined;
	/** The executions of each subject, since this process first saved its state. None under durable cursors. */
	readonly bySubject = new Map<string, Executions>();

	/** See Ports: only the process that started the trigger can measure this. A machine that sleeps stops the monotonic clock. */
	activatedAt({ subject, revision }: Pick<Checkpoint, 'subject' | 'revision'>): number | undefined {
		const { start } = this;
		if (start?.subject !== subject || start.revision !== revision) return undefined;
		return systemClock.now() - (systemClock.monotonic() - start.at);
	}

	/** A trigger that begins anew has nothing to redeliver. */
	beginAnew(subject: string): Executions {
		this.bySubject.get(subject)?.forgetAll();
		const executions = new Executions();
		this.bySubject.set(subject, executions);
		return executions;
	}

	get isAwaitingN8n(): boolean {
		return [...this.bySubject.values()].some((one) => one.isAwaitingN8n);
	}
}

const triggers = new Map<string, Trigger>();

/**
 * Returns the trigger that polls with these functions. Forgets triggers whose node has not polled here for 90 days, unless n8n may
 * not have stored their emissions: each may hold a state of a megabyte.
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

export function knownTrigger(name: string): Trigger | undefined {
	return triggers.get(name);
}

/** Returns the keys of the workflow's triggers that have polled here. */
export function keysOfKnown(functions: IPollFunctions): string[] {
	const workflow = nameOf(functions, '');
	return [...triggers.keys()].filter((name) => name.startsWith(workflow)).map((name) => name.slice(workflow.length));
}

export function nameOf(functions: IPollFunctions, stateKey: string): string {
	return `${functions.getWorkflow().id ?? ''}\n${stateKey}`;
}
