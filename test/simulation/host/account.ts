import type { Kept } from '../serviceModel.ts';
import { MINUTE } from '../serviceModel.ts';
import type { Schedule } from './schedule.ts';

/** What the trigger reads again before a start: Overlap, and as far as n8n's clock may be behind. */
const MARGIN_MS = 70 * MINUTE;
/** Five minutes, without the time that a poll may take. */
const RECENT_MS = 4 * MINUTE;
const FIVE_MINUTES = 5 * MINUTE;

/** A record that n8n has in an execution of a trigger. */
export interface Arrival {
	node: string;
	id: string;
	/** When the poll opened its state, when n8n stored the execution, and when that ended. */
	polledAt: number;
	at: number;
	endedAt: number;
}

/** What became of the records that one trigger emitted, and what docs/triggers.md lets it repeat and lose. */
export class Account {
	readonly arrivals: Arrival[] = [];
	/** When the poll opened its state whose emission n8n has with the trigger's latest state; by node. */
	known = new Map<string, number>();
	private notStored: Array<{ name: string; clocks: number[] }> = [];
	/** When a trigger emitted what it had polled since a time: the real time and n8n's. */
	private readonly emitted = new Map<string, number[]>();
	private readonly mayLose = new Set<string>();
	private readonly mayRepeat = new Map<string, number>();

	constructor(private readonly schedule: Pick<Schedule, 'saving' | 'afterRestart' | 'startFrom'>) {}

	/** A trigger emits records. */
	noteEmitted(node: string, polledAt: number, clocks: number[]): void {
		this.known.set(node, polledAt);
		this.emitted.set(`${node} ${polledAt}`, clocks);
	}

	/** n8n did not store an execution; `clocks` are the real time and n8n's. */
	noteNotStored(node: string, ids: string[], clocks: number[]): void {
		const { saving, afterRestart } = this.schedule;
		for (const id of ids) {
			const name = `${node} ${id}`;
			const isAgain = this.notStored.some((one) => one.name === name);
			this.notStored.push({ name, clocks });
			// Only the silence of n8n 1.x tells of it, which Never Repeat does not heed, and which counts once.
			if (saving === 'n8n 1.x' && (afterRestart === 'continue' || isAgain)) this.mayLose.add(name);
		}
	}

	/**
	 * Another process begins with the static data that n8n has, whose emissions are `saved`, unless n8n has the cursor of a node.
	 */
	restart(saved: ReadonlyMap<string, number>, cursors: ReadonlyMap<string, unknown>, clocks: number[]): void {
		const { saving, afterRestart } = this.schedule;
		// n8n 1.x does not tell either process that it did not store an execution.
		const losesOld = afterRestart === 'repeatIfRecent' || saving === 'n8n 1.x';
		this.known = new Map(saved);
		for (const { node, id, polledAt, endedAt } of this.arrivals) {
			const known = saved.get(node) ?? -Infinity;
			// The state is an older one, or does not say that n8n stored the execution.
			if (cursors.has(node) || (polledAt <= known && (afterRestart === 'continue' || endedAt < known))) continue;
			const emittedAt = this.emitted.get(`${node} ${known}`) ?? [];
			const isRecent = emittedAt.some((at, index) => clocks[index]! - at < FIVE_MINUTES);
			const hasFailed = this.notStored.some(({ name }) => name.startsWith(`${node} `));
			if (polledAt <= known && afterRestart === 'repeatIfRecent' && !isRecent && !hasFailed) continue;
			this.mayRepeat.set(`${node} ${id}`, (this.mayRepeat.get(`${node} ${id}`) ?? 0) + 1);
		}
		for (const { name, clocks: before } of this.notStored) {
			const isOld = clocks.some((now, index) => now - before[index]! >= RECENT_MS);
			if (afterRestart === 'continue' || (losesOld && isOld)) this.mayLose.add(name);
		}
	}

	/** @throws Error for what a trigger lost, repeated or should not have emitted since its `start`. */
	check(node: string, start: { from: number; to: number }, records: readonly Kept[]): void {
		for (const { id, createdAt, updatedAt } of records) {
			const name = `${node} ${id}`;
			const times = this.arrivals.filter(
				(one) => one.node === node && one.id === id && one.polledAt >= start.from,
			).length;
			if (createdAt > start.to && times === 0 && !this.mayLose.has(name)) throw new Error(`lost: ${name}`);
			if (times > 1 + (this.mayRepeat.get(name) ?? 0)) throw new Error(`arrived ${times} times: ${name}`);
			const isOld = this.schedule.startFrom === 'now' && updatedAt < start.from - MARGIN_MS;
			if (isOld && times > 0) throw new Error(`old, yet emitted: ${name}`);
		}
	}
}
