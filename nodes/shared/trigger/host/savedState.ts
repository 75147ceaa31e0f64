import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import type { State } from '../core/state';
import { savedForm, writeState } from '../core/state';
import type { Source } from '../source';

// The keys of all triggers of this package. The node's id follows, which a rename does not change.
const KEYS = /^leadRevenue(Transaction|ManualRecord)Trigger:/;

const GONE_AFTER_MS = 90 * 86_400_000;

const SAVED_EVERY_MS = 3_600_000;

// What this process wrote last, by workflow and key. n8n saves the whole column of static data from one of several copies,
// and so may put an older state back: from an execution whose nodes write static data and that ends after a later poll,
// or from another trigger of the workflow that n8n did not reload with it (measured on 2.41.1).
const written = new Map<string, State>();

/** Where n8n keeps a trigger's state between two polls. Read it in each poll: under durable cursors it is a snapshot. */
export interface SavedState {
	/** Whether n8n stores the state and the execution in one transaction. */
	isDurable: boolean;
	/** Whether n8n writes the whole state, up to a megabyte, after each poll that changes it. */
	isCostly: boolean;
	/** What was saved; empty when nothing. */
	value: Readonly<IDataObject>;
	write(state: State): void;
}

/**
 * Under durable cursors the state is in the node's static data, which n8n then keeps by the node's id. Otherwise n8n keeps
 * that by the node's name, so the state is in the workflow's global static data, under the id.
 */
export function savedStateOf(
	functions: IPollFunctions,
	now: number,
	{ stateKey }: Pick<Source, 'stateKey'>,
): SavedState {
	const named = functions.getWorkflowStaticData('node');
	const global = functions.getWorkflowStaticData('global');
	const key = stateKey + functions.getNode().id;
	const workflow = `${functions.getWorkflow().id ?? ''}\n`;
	const ofId = global[key] as IDataObject | undefined;
	if (storesTogether(functions, named)) {
		const durable = { isDurable: true, isCostly: true, write: (state: State) => writeState(named, state) };
		// The first poll under durable cursors continues from the state under the id.
		if (isEmpty(named)) return { ...durable, isCostly: false, value: ofId ?? named };
		// The node's own state is saved by now, so the one under the id is left over.
		if (ofId !== undefined) Reflect.deleteProperty(global, key);
		return { ...durable, value: named };
	}
	return {
		isDurable: false,
		isCostly: false,
		// Earlier versions kept it under the node's name, where another node's data may be.
		value: later(ofId ?? (isOurs(named) ? named : {}), workflow + key),
		write: (state) => {
			// n8n sees an assignment at this level, but no change below it.
			const form = savedForm(state);
			global[key] = { ...form };
			if (isOurs(named)) for (const name of Object.keys(named)) Reflect.deleteProperty(named, name);
			written.set(workflow + key, form);
			tendOthers(global, key, workflow, now);
		},
	};
}

/**
 * Whether n8n stores the state and the execution in one transaction: under durable cursors, where the state is a plain
 * snapshot. Otherwise it is an object that n8n watches for changes and marks with `__dataChanged` (read in 2.41.1).
 */
function storesTogether(functions: IPollFunctions, named: IDataObject): boolean {
	return functions.__commitCursor !== undefined && !('__dataChanged' in named);
}

function isEmpty(saved: IDataObject): boolean {
	return Object.keys(saved).length === 0;
}

function isOurs(saved: IDataObject): boolean {
	return ['version', 'identity', 'memory'].some((name) => name in saved);
}

/** The later of two states of one trigger: what n8n has, and what this process wrote. */
function later(saved: IDataObject, id: string): IDataObject {
	const state = written.get(id);
	if (state === undefined || (!isEmpty(saved) && saved.identity !== state.identity)) return saved;
	return Number(saved.emissions ?? 0) < state.emissions ? (state as unknown as IDataObject) : saved;
}

/**
 * Keeps the entries of the workflow's other triggers, which a poll cannot see: those that this process polls get their
 * latest state, and one that no process has polled for 90 days, while this trigger was polled, is deleted.
 */
function tendOthers(global: IDataObject, own: string, workflow: string, now: number): void {
	for (const key of Object.keys(global)) {
		if (!KEYS.test(key) || key === own) continue;
		const entry = global[key] as IDataObject;
		const latest = later(entry, workflow + key);
		if (latest !== entry) global[key] = { ...latest };
		if (written.has(workflow + key)) continue;
		if (typeof entry.idleSince !== 'number') global[key] = { ...entry, idleSince: now };
		else if (now - entry.idleSince > GONE_AFTER_MS) Reflect.deleteProperty(global, key);
	}
}

/**
 * Whether only sweeps have been complete since, for less than an hour, so that `next` need not be saved. The next poll then
 * requests the same changes once more: use this only when there were none. A service may reject a moment too long ago: hence
 * the hour.
 */
export function hasOnlyWaited(state: State, next: State): boolean {
	const waitedMs = lastSweepOf(next) - lastSweepOf(state);
	if (!(waitedMs >= 0 && waitedMs < SAVED_EVERY_MS)) return false;
	if (next.memory !== state.memory || next.details !== state.details) return false;
	const rest = (of: State) => JSON.stringify({ ...of, watermark: 0, readings: [], memory: '', details: '' });
	return rest(next) === rest(state);
}

function lastSweepOf({ watermark, readings }: State): number {
	return readings.at(-1)?.startedAt ?? watermark ?? NaN;
}
