import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Breakage } from '../moduleLoader.ts';
import { loaderOf } from '../moduleLoader.ts';
import { searchWith } from '../search.ts';
import { MINUTE, RejectedCursor, SECOND, ServiceModel } from '../serviceModel.ts';
import { Account } from './account.ts';
import type { Poller, TriggerNode } from './n8n.ts';
import { N8n } from './n8n.ts';
import type { Action, Schedule, Trouble } from './schedule.ts';
import { CALM, schedules } from './schedule.ts';

const HOUR = 60 * MINUTE;
const MOST_TRIGGERS = 3;

export type PollerLoader = ReturnType<typeof pollerLoader>;

/** Returns a loader of the triggers as they are, or with one line broken on purpose. */
export function pollerLoader(breakage?: Breakage) {
	const load = loaderOf(breakage);
	return (...[surroundings]: [Parameters<typeof load>[1]]) => load(['shared/trigger/poll.ts'], surroundings) as Poller;
}

/** Plays a schedule against the triggers. @throws Error for what they lost, repeated or should not have emitted. */
export async function simulate(load: PollerLoader, schedule: Schedule): Promise<void> {
	const world = new World(load, schedule);
	await world.n8n.time.until(world.run());
}

/** Runs schedules until one fails. @throws as searchWith does. */
export async function search(load: PollerLoader, numRuns: number, seed: number, shrinks?: boolean): Promise<void> {
	await searchWith(schedules, async (schedule) => await simulate(load, schedule), {
		numRuns,
		seed,
		list: 'test/simulation/host/counterexamples.ts',
		...(shrinks === undefined ? {} : { shrinks }),
	});
}

class World {
	readonly n8n: N8n;
	private readonly account: Account;
	private readonly service: ServiceModel;
	private failure: unknown;

	constructor(
		load: PollerLoader,
		private readonly schedule: Schedule,
	) {
		this.account = new Account(schedule);
		this.n8n = new N8n(load, schedule.saving, this.account, (options) => this.respond(options));
		const { time } = this.n8n;
		const gaps = { dateHeader: 'present', pagesOverlap: false, dated: 'occurred_at' } as const;
		this.service = new ServiceModel({ ...schedule.service, ...gaps }, () => time.now);
	}

	async run(): Promise<void> {
		const { n8n, account, service } = this;
		this.create(3);
		await n8n.time.wait(2 * HOUR);
		this.create(2);
		await n8n.time.wait(10 * MINUTE);
		this.add();
		await n8n.restart(0, CALM);
		for (const { pauseMs, ...action } of this.schedule.actions) {
			void this.act(action as Action).catch((failure: unknown) => (this.failure ??= failure));
			await n8n.time.wait(pauseMs);
		}
		n8n.isLocked = false;
		// Longer than n8n is down.
		await n8n.time.wait(10 * MINUTE);
		if (!n8n.isPublished) await n8n.publish(n8n.nodes, CALM);
		await this.rest();
		if (this.failure !== undefined) throw this.failure as Error;
		for (const { id, start } of n8n.nodes) {
			if (start === undefined) throw new Error(`never started: ${id}`);
			account.check(id, start, service.kept);
		}
	}

	/** Polls until nothing arrives any more, not even what n8n is silent about for an hour. */
	private async rest(): Promise<void> {
		const { n8n, account } = this;
		for (let idle = 0, polls = 0; idle < 6; polls++) {
			if (polls > 500) throw new Error('the triggers do not come to rest');
			await n8n.time.wait(idle === 3 ? HOUR : MINUTE);
			const before = account.arrivals.length;
			for (const node of n8n.nodes) await n8n.poll(node, CALM);
			idle = account.arrivals.length === before ? idle + 1 : 0;
		}
	}

	private async act(action: Action): Promise<void> {
		const { n8n, service } = this;
		const nodeAt = (index: number) => n8n.nodes[index % n8n.nodes.length] as TriggerNode;
		switch (action.kind) {
			case 'create':
				return this.create(action.count, { lateness: action.late * 4 * MINUTE, backdated: action.backdated });
			case 'update':
				return service.update(action.pick, action.status);
			case 'poll':
				return await n8n.poll(nodeAt(action.node), action.trouble);
			case 'publish': {
				const one = nodeAt(action.node === 'all' ? 0 : action.node);
				if (action.edit === 'name') one.name += '1';
				if (action.edit === 'most records') one.parameters.options.maxTransactions = 1;
				return await this.publish(action.node === 'all' ? n8n.nodes : [one], action.trouble);
			}
			case 'add':
				return n8n.nodes.length < MOST_TRIGGERS ? await this.publish([this.add()], action.trouble) : undefined;
			case 'restart':
				return await n8n.restart(action.downMs, action.trouble);
			case 'database':
				n8n.isLocked = action.isLocked;
				return;
			case 'unpublish':
				return n8n.unpublish();
			case 'sleep':
				n8n.sleep(action.ms / 2, action.isStopped);
				this.create(1);
				return n8n.sleep(action.ms / 2, action.isStopped);
			case 'clock':
				n8n.time.ahead = action.aheadMs;
				return;
			case 'wait':
		}
	}

	/** n8n 1.x always loads all triggers again. */
	private async publish(nodes: TriggerNode[], trouble: Trouble): Promise<void> {
		const { n8n, schedule } = this;
		const loadsAll = schedule.saving === 'n8n 1.x' || !n8n.isPublished;
		await n8n.publish(loadsAll ? n8n.nodes : nodes, trouble);
	}

	private create(count: number, { lateness = 0, backdated = 0 } = {}): void {
		for (let made = 0; made < count; made++) {
			this.service.create({ lateness: Math.floor(lateness), backdated, status: 'paid' });
		}
	}

	private add(): TriggerNode {
		const { nodes, time } = this.n8n;
		const { afterRestart, startFrom } = this.schedule;
		const node = {
			id: `trigger-${nodes.length}`,
			name: `Trigger ${nodes.length}`,
			parameters: {
				event: 'newTransaction',
				startFrom,
				startDate: new Date(time.now - HOUR).toISOString(),
				options: { afterRestart, maxTransactions: 5_000, overlap: 5, maxAttempts: 1 },
			},
			isSaved: false,
		};
		nodes.push(node);
		return node;
	}

	private respond({ qs = {} }: IHttpRequestOptions): object {
		const { cursor = null, updated_since: since } = qs as { cursor?: string; updated_since?: string };
		const date = new Date(Math.floor(this.n8n.time.now / SECOND) * SECOND).toUTCString();
		const responseOf = (statusCode: number, body: object) => ({
			statusCode,
			headers: { date },
			body: JSON.stringify(body),
		});
		try {
			const { records, nextCursor } = this.service.list(since === undefined ? undefined : Date.parse(since), cursor);
			return responseOf(200, { data: records, next_cursor: nextCursor });
		} catch (error) {
			if (!(error instanceof RejectedCursor)) throw error;
			return responseOf(400, { error: { type: 'invalid_request', message: 'cursor', request_id: 'r' } });
		}
	}
}
