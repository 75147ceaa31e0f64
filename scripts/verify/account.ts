import type { JournalEntry, Organization, Sandbox, WrittenTransaction } from '../../sandbox/src/client.ts';
import { leadIds } from '../lib/records.ts';
import { until } from '../lib/until.ts';
import type { Credential, N8nSession } from '../n8n/session.ts';
import { PASSING } from './updateWorkflows.ts';

/** The longest wait for anything in n8n. */
export const WITHIN_MS = 300_000;
const LEADS = 60;
/** What does not arrive with so many polls is lost. */
export const ENOUGH_POLLS = 12;

/** An organization whose transactions a published workflow tags. */
export class Account {
	/** Leads in the order in which their transactions were created. */
	readonly wanted: string[] = [];
	readonly organization: Organization;
	readonly tagId: number;
	readonly credential: Credential;
	readonly leads: string[];
	private readonly sandbox: Sandbox;
	private nextLead = 0;

	private constructor(
		sandbox: Sandbox,
		organization: Organization,
		tagId: number,
		credential: Credential,
		leads: string[],
	) {
		this.sandbox = sandbox;
		this.organization = organization;
		this.tagId = tagId;
		this.credential = credential;
		this.leads = leads;
	}

	static async open(
		sandbox: Sandbox,
		session: N8nSession,
		records: { leads?: number; transactions?: number; manual_records?: number } = {},
	) {
		const organization = await sandbox.control.createEmptyOrganization({ leads: LEADS, ...records });
		const tagId = await sandbox.control.manualTag(organization.id);
		const apiKey = organization.keys.full;
		const credential = await session.createCredential(organization.name, 'leadRevenueApi', {
			baseUrl: sandbox.url,
			apiKey,
		});
		const leads = await leadIds({ credential: { baseUrl: sandbox.url, apiKey } }, 100);
		return new Account(sandbox, organization, tagId, credential, leads);
	}

	/** Creates transactions, each of another lead. Returns the transactions' ids and their leads. */
	async create(count: number, over: WrittenTransaction = {}) {
		const leads = this.leads.slice(this.nextLead, (this.nextLead += count));
		const made = leads.map((lead_id) => ({ ...PASSING, lead_id, ...over }));
		const { ids } = await this.sandbox.control.addTransactions(this.organization.id, made);
		return { ids, leads };
	}

	/** Creates the same, of leads that are to be tagged. */
	async pay(count: number) {
		const paid = await this.create(count);
		this.wanted.push(...paid.leads);
		return paid;
	}

	/** Returns the leads in the order in which they were tagged. */
	async tagged(): Promise<string[]> {
		return (await this.sandbox.control.tagApplications(this.organization.id)).map(({ lead_id: lead }) => lead);
	}

	async journal(): Promise<JournalEntry[]> {
		return await this.sandbox.control.journal(this.organization.id);
	}

	/** Waits until what is wanted is tagged, or enough polls have not brought it. Then for two more polls, which may repeat something. */
	async settle(): Promise<void> {
		const before = await this.reads();
		await until(
			`${this.wanted.length} tags`,
			WITHIN_MS,
			async () => (await this.tagged()).length >= this.wanted.length || (await this.reads()) >= before + ENOUGH_POLLS,
		);
		await this.polls(2);
	}

	async polls(count: number): Promise<void> {
		const before = await this.reads();
		await until(`${count} polls`, WITHIN_MS, async () => (await this.reads()) >= before + count);
	}

	/** Returns how many lists of transactions were requested: one or more with each poll. */
	private async reads(): Promise<number> {
		return (await this.journal()).filter(
			({ method, path: asked }) => method === 'GET' && asked.includes('transactions'),
		).length;
	}

	/** Returns one line for each transaction that is not tagged as often as it should be. */
	async problems(name: string, mayRepeat: readonly string[] = []): Promise<string[]> {
		const count = (leads: readonly string[], lead: string) => leads.filter((one) => one === lead).length;
		const tagged = await this.tagged();
		return [...new Set([...this.wanted, ...tagged])].flatMap((lead) => {
			const [wanted, found] = [count(this.wanted, lead), count(tagged, lead)];
			if (found < wanted) return [`${name}: a transaction is lost`];
			if (found > wanted + (mayRepeat.includes(lead) ? 1 : 0)) {
				return [`${name}: a transaction arrived ${found} times instead of ${wanted}`];
			}
			return [];
		});
	}
}
