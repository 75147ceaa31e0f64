import type { AxiosInstance } from 'axios';
import axios from 'axios';
import type { WrittenManualRecord } from './control/writtenManualRecord.ts';
import type { WrittenRateLimits } from './control/writtenSettings.ts';
import type { WrittenTransaction } from './control/writtenTransaction.ts';
import type { KeyKind } from './data/seed.ts';
import type { Fault } from './faults/fault.ts';
import type { Role, Scope } from './identity.ts';
import type { JournalEntry } from './journal.ts';
import type { MintedTokens, OAuthAccess } from './oauth/oauthServer.ts';
import type { SwitchDefinition, Switches } from './switches.ts';

export type {
	Fault,
	JournalEntry,
	KeyKind,
	MintedTokens,
	OAuthAccess,
	Role,
	Scope,
	SwitchDefinition,
	Switches,
	WrittenRateLimits,
	WrittenManualRecord,
	WrittenTransaction,
};

/** A new organization and its keys. */
export interface Organization {
	id: string;
	name: string;
	keys: Record<KeyKind, string>;
}

/** What to create an organization from. */
export interface OrganizationOptions extends OrganizationChanges {
	name?: string;
	leads?: number;
	transactions?: number;
	manual_records?: number;
	seed?: number;
}

/** What may be set for an organization. What is left out does not change. */
interface OrganizationChanges {
	switches?: Switches;
	budgets?: WrittenRateLimits;
	features?: { keyword_automations?: boolean };
}

/** What an organization holds. */
interface OrganizationState {
	id: string;
	name: string;
	leads: number;
	transactions: number;
	manual_records: number;
	automations: number;
	tag_applications: number;
	tags: Array<{ id: number; name: string; manual: boolean }>;
}

/** One tag put on a lead. A write that was applied twice appears twice. */
interface TagApplication {
	lead_id: string;
	tag_id: number;
	idempotency_key: string;
	at: string;
}

/** One automation as it was sent. A write that was applied twice appears twice. */
interface CreatedAutomation {
	id: string;
	definition: Record<string, unknown>;
	idempotency_key: string;
	at: string;
}

/** The control plane, a method for each route. @throws Error with the sandbox's own message. */
export class SandboxControl {
	private readonly http: AxiosInstance;

	/** @param url base address of the service. */
	constructor(url: string) {
		this.http = axios.create({
			baseURL: `${url.replace(/\/+$/, '')}/_sandbox`,
			proxy: false,
			validateStatus: () => true,
		});
	}

	describe(): Promise<{
		version: string;
		url: string;
		switches: Record<string, SwitchDefinition>;
		organizations: Array<{ id: string; name: string }>;
	}> {
		return this.call('GET', '/');
	}

	createOrganization(options: OrganizationOptions = {}): Promise<Organization> {
		return this.call('POST', '/organizations', options);
	}

	/** Creates an organization that has the named records and no others. */
	createEmptyOrganization(options: OrganizationOptions = {}): Promise<Organization> {
		return this.createOrganization({ leads: 0, transactions: 0, manual_records: 0, ...options });
	}

	organization(id: string): Promise<OrganizationState> {
		return this.call('GET', `/organizations/${id}`);
	}

	changeOrganization(id: string, changes: OrganizationChanges): Promise<OrganizationChanges> {
		return this.call('PATCH', `/organizations/${id}`, changes);
	}

	deleteOrganization(id: string): Promise<void> {
		return this.call('DELETE', `/organizations/${id}`);
	}

	createKey(id: string, rights: { scopes?: Scope[]; role?: Role } = {}): Promise<{ key: string; key_id: string }> {
		return this.call('POST', `/organizations/${id}/keys`, rights);
	}

	revokeKey(id: string, key: string): Promise<void> {
		return this.call('POST', `/organizations/${id}/keys/revoke`, { key });
	}

	/** Tokens as after the authorization code flow. `lifetime` is a duration, and that of the first access token. */
	createOAuthTokens(
		id: string,
		rights: { scopes?: Scope[]; role?: Role; lifetime?: string } = {},
	): Promise<MintedTokens> {
		return this.call('POST', `/organizations/${id}/oauth-tokens`, rights);
	}

	/** Expires all access tokens of an organization; returns how many were still valid. */
	expireOAuthTokens(id: string): Promise<{ expired: number }> {
		return this.call('POST', `/organizations/${id}/oauth-tokens/expire`, {});
	}

	/** Revokes the grant of an access or refresh token, with all its tokens; without a token, every grant. */
	revokeOAuthGrant(id: string, token?: string): Promise<void> {
		return this.call('POST', `/organizations/${id}/oauth-grants/revoke`, { token });
	}

	/** Creates a user of the organization who can sign in and consent. */
	createUser(id: string, rights: { role?: Role } = {}): Promise<{ email: string; password: string }> {
		return this.call('POST', `/organizations/${id}/users`, rights);
	}

	/** Adds leads that are created now; returns their ids. */
	addLeads(id: string, count: number): Promise<{ ids: string[] }> {
		return this.call('POST', `/organizations/${id}/leads`, { count });
	}

	addTransactions(id: string, transactions: WrittenTransaction[]): Promise<{ ids: string[] }> {
		return this.call('POST', `/organizations/${id}/transactions`, { transactions });
	}

	changeTransaction(id: string, transaction: string, changes: WrittenTransaction): Promise<{ id: string }> {
		return this.call('PATCH', `/organizations/${id}/transactions/${encodeURIComponent(transaction)}`, changes);
	}

	addManualRecords(id: string, records: WrittenManualRecord[]): Promise<{ ids: string[] }> {
		return this.call('POST', `/organizations/${id}/manual-records`, { manual_records: records });
	}

	changeManualRecord(id: string, record: string, changes: WrittenManualRecord): Promise<{ id: string }> {
		return this.call('PATCH', `/organizations/${id}/manual-records/${encodeURIComponent(record)}`, changes);
	}

	/** Returns the id of a tag of an organization that may be added to its leads. */
	async manualTag(id: string): Promise<number> {
		const { tags } = await this.organization(id);
		return tags.find(({ manual }) => manual)?.id as number;
	}

	tagApplications(id: string): Promise<TagApplication[]> {
		return this.call('GET', `/organizations/${id}/tag-applications`);
	}

	automations(id: string): Promise<CreatedAutomation[]> {
		return this.call('GET', `/organizations/${id}/automations`);
	}

	/** Appends faults; returns all that wait. */
	addFaults(id: string, faults: Fault[]): Promise<Fault[]> {
		return this.call('POST', `/organizations/${id}/faults`, { faults });
	}

	faults(id: string): Promise<Fault[]> {
		return this.call('GET', `/organizations/${id}/faults`);
	}

	clearFaults(id: string): Promise<void> {
		return this.call('DELETE', `/organizations/${id}/faults`);
	}

	/** Returns the requests of an organization after number `since`. */
	journal(id: string, since = 0): Promise<JournalEntry[]> {
		return this.call('GET', `/organizations/${id}/journal?since=${since}`);
	}

	clearJournal(id: string): Promise<void> {
		return this.call('DELETE', `/organizations/${id}/journal`);
	}

	/** Returns the requests whose credential belonged to no organization. */
	unattributedJournal(since = 0): Promise<JournalEntry[]> {
		return this.call('GET', `/journal?since=${since}`);
	}

	clearUnattributedJournal(): Promise<void> {
		return this.call('DELETE', '/journal');
	}

	/** Sets how far the service's clock is ahead of the machine's, for every organization. */
	setClock(offset: string): Promise<{ now: string }> {
		return this.call('POST', '/clock', { offset });
	}

	private async call<T>(method: string, url: string, data?: unknown): Promise<T> {
		const response = await this.http.request<T & { error?: string }>({ method, url, data });
		if (response.status < 400) return response.data;
		throw new Error(
			`${method} ${url} failed with ${response.status}: ${response.data.error ?? JSON.stringify(response.data)}`,
		);
	}
}
