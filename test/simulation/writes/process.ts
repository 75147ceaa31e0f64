import nodeCrypto from 'node:crypto';
import * as n8nWorkflow from 'n8n-workflow';
import type { Surroundings } from '../moduleLoader.ts';
import type { VirtualTime } from '../time.ts';
import { globalsOf, NEVER } from '../time.ts';
import type { LoadedNodes } from './modules.ts';

export interface ProcessWorld<Loaded = LoadedNodes> {
	time: VirtualTime;
	random: () => number;
	load: (surroundings: Surroundings) => Loaded;
	/** Called at every await. May end the process, or stop an execution. */
	onAwait?(process: Process<Loaded>): void;
}

/** One process of n8n. When it dies, nothing of it goes on, and its module state is gone. */
export class Process<Loaded = LoadedNodes> {
	readonly died: Promise<'died'>;
	isAlive = true;
	private die!: (how: 'died') => void;
	private loaded: Loaded | undefined;

	constructor(private readonly world: ProcessWorld<Loaded>) {
		this.died = new Promise((resolve) => {
			this.die = resolve;
		});
	}

	get nodes(): Loaded {
		const { time, random, load } = this.world;
		this.loaded ??= load({
			globals: globalsOf(time, random),
			packages: {
				'n8n-workflow': replaced(n8nWorkflow, { sleep: async (ms: number) => await this.outlives(time.wait(ms)) }),
				'node:crypto': replaced(nodeCrypto, { randomUUID: () => uuidFrom(random) }),
			},
		});
		return this.loaded;
	}

	kill(): void {
		this.isAlive = false;
		this.die('died');
	}

	/** Returns the result of `work`, which may be going on outside the process; nothing if the process dies before. */
	async outlives<T>(work: Promise<T>): Promise<T> {
		// Nobody may be left to hear of its failure.
		work.catch(() => {});
		await this.breath();
		const settled = await work.then(
			(value) => () => value,
			(error: unknown) => () => {
				throw error;
			},
		);
		if (!this.isAlive) return await NEVER;
		await this.breath();
		return settled();
	}

	/** What goes on by itself in a dead process, such as a timeout, changes nothing any more. */
	async restIfDead(): Promise<void> {
		if (!this.isAlive) await NEVER;
	}

	/** A moment at which the process may die. */
	async breath(): Promise<void> {
		if (this.isAlive) this.world.onAwait?.(this);
		await this.restIfDead();
	}
}

/** Copying these modules for each process would take longer than all that the process does. */
function replaced(module: object, exports: object): object {
	const own = Object.entries(exports).map(([name, value]) => [name, { value: value as unknown }]);
	return Object.create(module, Object.fromEntries(own) as PropertyDescriptorMap) as object;
}

export function uuidFrom(random: () => number): string {
	const hex = (length: number) => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
	return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
}
