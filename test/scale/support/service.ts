import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { JournalEntry, Organization, OrganizationOptions, Sandbox } from '../../../sandbox/src/client.ts';
import { NO_RECORDS, startSandbox } from '../../../sandbox/src/client.ts';
import { leadIds } from '../../../scripts/lib/records.ts';
import { temporaryFolder } from '../../../scripts/lib/temporaryFolder.ts';

/** The documented rate limits on a minute of this length. */
export const MINUTE_MS = 2_000;

/** How many leads the tests use at most. */
const MOST_LEADS = 400;

/** An organization with the documented rate limits, and its credential, manual tag and leads. */
export interface ScaleOrganization extends Organization {
	credential: { baseUrl: string; apiKey: string };
	manualTag: number;
	leadIds: string[];
}

/** A sandbox that comes back on the same port with the same data. */
export class RestartableSandbox {
	private constructor(
		private readonly folder: string,
		private readonly port: number,
		private running: Sandbox,
	) {}

	static async start(): Promise<RestartableSandbox> {
		const folder = await temporaryFolder('scale-service');
		const running = await startSandbox(settings(folder));
		return new RestartableSandbox(folder, Number(new URL(running.url).port), running);
	}

	get url(): string {
		return this.running.url;
	}

	get control(): Sandbox['control'] {
		return this.running.control;
	}

	async organization(options: OrganizationOptions = {}): Promise<ScaleOrganization> {
		const created = await this.control.createEmptyOrganization(options);
		// With a separate key, so that the tests' rate limits stay unused.
		const { key: apiKey } = await this.control.createKey(created.id, { scopes: ['leads:read'] });
		const credential = { baseUrl: this.url, apiKey };
		const { leads = 0 } = options;
		const ids = leads === 0 ? [] : await leadIds({ credential }, Math.min(leads, MOST_LEADS));
		await this.control.clearJournal(created.id);
		return {
			...created,
			manualTag: await this.control.manualTag(created.id),
			credential: { baseUrl: this.url, apiKey: created.keys.full },
			leadIds: ids,
		};
	}

	async kill9(): Promise<void> {
		await this.running.kill9();
	}

	async comeBack(): Promise<void> {
		this.running = await startSandbox({ ...settings(this.folder), port: this.port });
	}

	async stop(): Promise<void> {
		await this.running.stop();
		await rm(this.folder, { recursive: true, force: true });
	}
}

function settings(folder: string) {
	return { ...NO_RECORDS, data: path.join(folder, 'service.sqlite'), minute: `${MINUTE_MS}ms` };
}

export interface Waste {
	requests: number;
	rejected: number;
	/** Share of rejected requests, in percent. */
	percent: number;
	/** Seconds from the first request to the last. */
	seconds: number;
}

/** Returns the share of requests that were rejected because a rate limit was reached. */
export function wasteOf(journal: JournalEntry[]): Waste {
	const rejected = journal.filter(({ status }) => status === 429).length;
	const times = journal.map(({ at }) => Date.parse(at));
	return {
		requests: journal.length,
		rejected,
		percent: journal.length === 0 ? 0 : (100 * rejected) / journal.length,
		seconds: times.length === 0 ? 0 : ((times.at(-1) as number) - (times[0] as number)) / 1_000,
	};
}

export function describeWaste({ requests, rejected, percent, seconds }: Waste): string {
	return `${requests} requests in ${seconds.toFixed(0)} s, ${rejected} rejected (${percent.toFixed(1)} %)`;
}
