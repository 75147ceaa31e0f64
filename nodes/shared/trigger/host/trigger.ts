import { randomUUID } from 'node:crypto';
import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../service/clock';
import { adjustStart } from '../core/cycle';
import type { Saved } from '../core/saved/shapes';
import type { State } from '../core/state';
import type { Source } from '../source';
import { Executions } from './delivery';

/** This process; `begunAt` is the local clock, in milliseconds since the epoch. */
export const thisProcess = { name: randomUUID(), begunAt: systemClock.now() };

/** A node that has not polled for so long is gone. n8n's longest interval is a month; a cron expression may have a longer one. */
export const GONE_AFTER_MS = 90 * 86_400_000;

/** What this process knows of one trigger. It outlives n8n's own objects, which each publishing of the workflow replaces. */
export class Trigger {
	private claimedBy: IPollFunctions | undefined;
	/** When it polled last, on the monotonic clock. */
	polledAt = systemClock.monotonic();
	/** When this process started it, on the monotonic clock. */
	startedAt: number | undefined;
	/** See PollPorts. */
	hasRedeliveredAfterRestart = false;
	/**
	 * What it has written last without durable cursors. n8n saves the whole column of static data from one of several copies,
	 * and so may put an older state back: from an execution whose nodes write static data and that ends after a later poll,
	 * or from another trigger of the workflow that n8n did not reload with it (measured on 2.41.1).
	 */
	written: Saved | undefined;
	/** Which state n8n got last under durable cursors, the start or one with what was emitted; `at` is on the monotonic clock. */
	handedOn: (Pick<State, 'identity' | 'emissions'> & { at: number }) | undefined;

	private readonly byIdentity = new Map<string, Executions>();

	/** `key` is that of its state in the workflow's global static data. */
	constructor(readonly key: string) {}

	/**
	 * Claims the trigger for a poll, unless another one is under way; returns whether it could. n8n notices when two polls of
	 * one node run at once, but lets them. Both would emit the same.
	 *
	 * An activation takes over: it continues from the state, so it would emit again what an earlier poll may yet emit. n8n 2.x
	 * drops what the earlier poll returns; n8n 1.x emits it (measured on 1.123.81).
	 */
	claim(functions: IPollFunctions, isActivation: boolean): boolean {
		if (this.claimedBy !== undefined && !isActivation) return false;
		this.claimedBy = functions;
		return true;
	}

	isClaimedBy(functions: IPollFunctions): boolean {
		return this.claimedBy === functions;
	}

	release(functions: IPollFunctions): void {
		if (this.isClaimedBy(functions)) this.claimedBy = undefined;
	}

	/**
	 * Corrects the time of activation of a trigger that is still starting. Its first sweep reaches back to the activation, and
	 * the clock may have been set since. Only the process that started the trigger can measure it.
	 */
	withStart(state: State): State {
		if (this.startedAt === undefined || state.phase !== 'starting') return state;
		return adjustStart(state, systemClock.now() - (systemClock.monotonic() - this.startedAt));
	}

	/**
	 * The executions that belong to this state. A state with another identity has its own; `isNew` starts an empty list, because
	 * a trigger that starts over owes nothing.
	 */
	executionsOf({ identity }: Pick<State, 'identity'>, isNew = false): Executions {
		const known = (isNew ? undefined : this.byIdentity.get(identity)) ?? new Executions();
		this.byIdentity.set(identity, known);
		return known;
	}

	/** Whether this process may forget it: its node is gone, and n8n has stored what it emitted. */
	isGone(now: number): boolean {
		return now - this.polledAt > GONE_AFTER_MS && ![...this.byIdentity.values()].some((one) => one.isAwaitingN8n);
	}
}

const triggers = new Map<string, Trigger>();

/** Names the trigger of the same workflow with that key. */
export const nameOf = (functions: IPollFunctions, key: string) => `${functions.getWorkflow().id ?? ''}\n${key}`;

/** The trigger of a node that polls now. Forgets those that are gone, each of which may hold a state of a megabyte. */
export function triggerOf(functions: IPollFunctions, { stateKey }: Pick<Source, 'stateKey'>): Trigger {
	const key = stateKey + functions.getNode().id;
	const name = nameOf(functions, key);
	const now = systemClock.monotonic();
	const trigger = triggers.get(name) ?? new Trigger(key);
	trigger.polledAt = now;
	triggers.set(name, trigger);
	for (const [known, other] of triggers) if (other.isGone(now)) triggers.delete(known);
	return trigger;
}

/** The trigger of that name, if this process polls it. */
export function knownTrigger(name: string): Trigger | undefined {
	return triggers.get(name);
}
