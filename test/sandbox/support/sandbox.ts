import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { AxiosResponse } from 'axios';
import axios from 'axios';
import type {
	Fault,
	Organization,
	OrganizationOptions,
	Sandbox,
	SandboxControl,
	SandboxOptions,
} from '../../../sandbox/src/client.ts';
import { startSandbox } from '../../../sandbox/src/client.ts';
import { temporaryFolder } from '../../../scripts/lib/temporaryFolder.ts';

/** A request to the service; `key` null sends no credential. */
interface ServiceCall {
	key?: string | null;
	query?: Record<string, unknown>;
	body?: unknown;
	headers?: Record<string, string>;
	/** Idempotency-Key; null sends none, `undefined` a new one. */
	idempotencyKey?: string | null;
	timeout?: number;
}

const MANUAL_TAG = 1;

/** One sandbox process for a test file. It must end with code 0 and report no bug. */
export function useSandbox(options: SandboxOptions = {}) {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ leads: 120, transactions: 60, manualRecords: 30, budgets: false, ...options });
	});
	afterAll(async () => {
		expect(await sandbox.stop()).toBe(0);
		expect(sandbox.errors()).toBe('');
	});
	return {
		get control(): SandboxControl {
			return sandbox.control;
		},
		get url(): string {
			return sandbox.url;
		},
		get oauth(): Sandbox['oauth'] {
			return sandbox.oauth;
		},
		/** Returns a new organization with its own data. */
		async tenant(wanted: OrganizationOptions = {}): Promise<Tenant> {
			return new Tenant(sandbox.url, sandbox.control, await sandbox.control.createOrganization(wanted));
		},
	};
}

/** Calls `work` with the name of a file that a sandbox may keep its data in. */
export async function withData(work: (data: string) => Promise<void>): Promise<void> {
	const folder = await temporaryFolder('sandbox');
	try {
		await work(`${folder}/service.db`);
	} finally {
		await rm(folder, { recursive: true });
	}
}

export type SandboxHandle = ReturnType<typeof useSandbox>;

/** One organization, and requests made with its keys. */
export class Tenant {
	readonly id: string;
	readonly keys: Organization['keys'];

	constructor(
		private readonly url: string,
		readonly control: SandboxControl,
		{ id, keys }: Pick<Organization, 'id' | 'keys'>,
	) {
		this.id = id;
		this.keys = keys;
	}

	get(path: string, query: Record<string, unknown> = {}, more: ServiceCall = {}): Promise<AxiosResponse> {
		return this.call('GET', path, { ...more, query });
	}

	post(
		path: string,
		body: unknown,
		{ idempotencyKey = randomUUID(), ...more }: ServiceCall = {},
	): Promise<AxiosResponse> {
		const keyed: Record<string, string> = idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey };
		return this.call('POST', path, { ...more, body, headers: { ...keyed, ...more.headers } });
	}

	/** Adds a tag, by default the first manual one to the first lead. */
	async tag(more: ServiceCall & { lead?: string; tagId?: number } = {}): Promise<AxiosResponse> {
		const { lead = await this.firstLead(), tagId = await this.tagId(), ...call } = more;
		return this.post(`/v1/leads/${encodeURIComponent(lead)}/tags/`, { tag_id: tagId }, call);
	}

	async firstLead(): Promise<string> {
		const { data } = await this.get('/v1/leads/', { page_size: 1 });
		return data.data[0].id ?? data.data[0].lead_id;
	}

	async tagId(index = MANUAL_TAG): Promise<number> {
		const { tags } = await this.control.organization(this.id);
		return tags[index - 1]!.id;
	}

	async walk(path: string, query: Record<string, unknown> = {}): Promise<any[]> {
		const records: any[] = [];
		let cursor: string | undefined;
		do {
			const { status, data } = await this.get(path, { ...query, ...(cursor ? { cursor } : {}) });
			if (status !== 200) throw new Error(`${path} responded with ${status}: ${JSON.stringify(data)}`);
			records.push(...data.data);
			cursor = data.next_cursor ?? undefined;
		} while (cursor);
		return records;
	}

	change(changes: Parameters<SandboxControl['changeOrganization']>[1]): Promise<unknown> {
		return this.control.changeOrganization(this.id, changes);
	}

	private call(
		method: string,
		path: string,
		{ key, query, body, headers, timeout }: ServiceCall,
	): Promise<AxiosResponse> {
		const credential = key === null ? {} : { Authorization: `Bearer ${key ?? this.keys.full}` };
		return axios.request({
			baseURL: this.url,
			url: path,
			method,
			params: query,
			data: body,
			headers: { ...credential, ...headers },
			validateStatus: () => true,
			maxRedirects: 0,
			proxy: false,
			...(timeout === undefined ? {} : { timeout }),
		});
	}
}

export const aurora = ({ url, control }: Pick<Sandbox, 'url' | 'control'>) =>
	new Tenant(url, control, { id: 'org_aurora', keys: { full: 'sk_demo_full_aurora' } as Tenant['keys'] });

/** Returns an organization with ten leads whose requests meet these faults. */
export async function withFaults(sandbox: SandboxHandle, ...faults: Fault[]): Promise<Tenant> {
	const tenant = await sandbox.tenant({ leads: 10 });
	await sandbox.control.addFaults(tenant.id, faults);
	return tenant;
}

/** Returns an organization whose requests meet these faults, and a tag of it: what that needs is read before. */
export async function tagged(sandbox: SandboxHandle, ...faults: Fault[]) {
	const tenant = await sandbox.tenant({ leads: 2 });
	const write = { lead: await tenant.firstLead(), tagId: await tenant.tagId(), idempotencyKey: randomUUID() };
	await sandbox.control.addFaults(tenant.id, faults);
	return { tenant, tag: (more = {}) => tenant.tag({ ...write, ...more }) };
}

export const LISTS = ['/v1/leads/', '/v1/revenue/transactions/', '/v1/revenue/manual/'];

export const page = (tenant: Tenant, query = {}) => tenant.get('/v1/leads/', { page_size: 3, ...query });

/** An automation with every shown field. */
export const AUTOMATION = {
	name: 'Guide on request',
	is_active: false,
	keywords: ['guide', 'ガイド'],
	comment_type: 'ANY_POST',
	replies: [{ text: 'Here it is 🌴' }],
};
