import type { Clock } from '../../nodes/shared/service/clock.ts';

interface Event {
	at: number;
	what: () => void;
	/** Whether anything may still wait for it. */
	matters: () => boolean;
}

/** A promise that never settles: what a dead process still waits for. */
export const NEVER: Promise<never> = new Promise(() => {});

/** Lets everything run that does not wait for time. */
async function settle(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
}

/** The only clock in the simulation. It advances when nothing can run any more. */
export class VirtualTime {
	/** Milliseconds since the epoch. */
	now = Date.UTC(2026, 2, 1, 12);
	/** How far n8n's clock is ahead, in milliseconds. */
	ahead = 0;
	/** How long the machine has slept in all, in milliseconds: its monotonic clock stood still then. */
	asleep = 0;
	private readonly due: Event[] = [];

	/** Calls `what` in `ms` milliseconds, after what was asked for before for the same moment. */
	after(ms: number, what: () => void, matters: () => boolean = () => true): void {
		const at = this.now + Math.max(0, ms);
		let index = this.due.length;
		while (index > 0 && this.due[index - 1]!.at > at) index--;
		this.due.splice(index, 0, { at, what, matters });
	}

	async wait(ms: number): Promise<void> {
		await new Promise<void>((resolve) => this.after(ms, resolve));
	}

	/** Returns it as the clock of some requests. Node's timers that are due at one time fire in any order, `spreadMs` apart. */
	clock(random: () => number, spreadMs = 0): Clock {
		const now = () => this.now;
		const wait = async (ms: number, signal?: AbortSignal) =>
			await new Promise<void>((resolve) => {
				if (signal?.aborted === true) return resolve();
				const wake = () => {
					signal?.removeEventListener('abort', wake);
					resolve();
				};
				signal?.addEventListener('abort', wake);
				this.after(ms + spreadMs * random(), wake, () => signal?.aborted !== true);
			});
		return { now, monotonic: now, random, wait };
	}

	/** The machine sleeps: nothing runs, and only the wall clock goes on. A process that is stopped loses no time. */
	sleep(ms: number, isStopped: boolean): void {
		this.now += ms;
		if (isStopped) return;
		this.asleep += ms;
		for (const event of this.due) event.at += ms;
	}

	/** Runs until `work` has ended. @throws when `work` can never end, because nothing is due any more. */
	async until<T>(work: Promise<T>): Promise<T> {
		let isOver = false;
		void work.then(
			() => (isOver = true),
			() => (isOver = true),
		);
		for (;;) {
			await settle();
			if (isOver) return await work;
			const next = this.due.shift();
			if (next === undefined) throw new Error('it hangs: something waits for what never happens');
			if (!next.matters()) continue;
			this.now = Math.max(this.now, next.at);
			next.what();
		}
	}
}

/** A deadline, with what the nodes use of an AbortSignal. */
class Deadline {
	aborted = false;
	private readonly listeners = new Set<() => void>();

	addEventListener(_type: 'abort', listener: () => void): void {
		this.listeners.add(listener);
	}

	removeEventListener(_type: 'abort', listener: () => void): void {
		this.listeners.delete(listener);
	}

	isAwaited(): boolean {
		return this.listeners.size > 0;
	}

	pass(): void {
		this.aborted = true;
		for (const listener of this.listeners) listener();
	}
}

/** Returns what replaces the globals of a process that have to do with time and chance. */
export function globalsOf(time: VirtualTime, random: () => number) {
	class VirtualDate extends Date {
		constructor(...args: [] | [number | string]) {
			super(args.length === 0 ? VirtualDate.now() : args[0]);
		}

		static override now(): number {
			return time.now + time.ahead;
		}
	}
	const virtualMath = Object.assign(Object.create(Math) as Math, { random });
	const signals = {
		any: (all: AbortSignal[]) => AbortSignal.any(all),
		timeout: (ms: number) => {
			const deadline = new Deadline();
			time.after(
				ms,
				() => deadline.pass(),
				() => deadline.isAwaited(),
			);
			return deadline;
		},
	};
	return {
		Date: VirtualDate,
		Math: virtualMath,
		AbortSignal: signals,
		performance: { now: () => time.now - time.asleep },
	};
}
