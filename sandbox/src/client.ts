import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import axios, { type AxiosInstance } from 'axios';
import type { WrittenBudgets } from './control/organization-routes.ts';
import type { WrittenTransaction } from './control/written-transaction.ts';
import type { KeyKind } from './data/seed.ts';
import type { Fault } from './faults/fault.ts';
import type { Role, Scope } from './identity.ts';
import type { JournalEntry } from './journal.ts';
import type { SwitchDefinition, Switches } from './switches.ts';

export type { Fault, JournalEntry, KeyKind, Role, Scope, SwitchDefinition, Switches, WrittenBudgets, WrittenTransaction };

/** How to start a sandbox; what is left out takes the default of the command line. */
export interface SandboxOptions {
	port?: number;
	host?: string;
	/** `:memory:` or a file path. */
	data?: string;
	seed?: number;
	/** ISO date-time; the moment seeded history ends. */
	epoch?: string;
	leads?: number;
	transactions?: number;
	manualRecords?: number;
	/** Duration, such as `1s`. */
	minute?: string;
	budgets?: boolean;
	readBudget?: number;
	writeBudget?: number;
	dayBudget?: number;
	switches?: Switches;
	journalLimit?: number;
	/** Path of the sandbox's main.ts; searched upwards from the working directory when left out. */
	main?: string;
	/** Node 24 or newer; the one that runs this when left out. */
	node?: string;
}

/** A running sandbox process. */
export interface Sandbox {
	/** Base address of the service. */
	url: string;
	control: SandboxControl;
	pid: number;
	/** Ends it in good order and gives its exit code. */
	stop(): Promise<number | null>;
	/** Ends it as a crash would. */
	kill9(): Promise<void>;
	/** What it has written to stderr so far: bugs of the sandbox. */
	errors(): string;
}

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

export interface OrganizationChanges {
	switches?: Switches;
	budgets?: WrittenBudgets;
	features?: { keyword_automations?: boolean };
}

/** What an organization holds. */
export interface OrganizationState {
	id: string;
	name: string;
	leads: number;
	transactions: number;
	manual_records: number;
	automations: number;
	tag_applications: number;
	tags: { id: number; name: string; manual: boolean }[];
}

/** One tag put on a lead; a write that is applied twice is here twice. */
export interface TagApplication {
	lead_id: string;
	tag_id: number;
	idempotency_key: string;
	at: string;
}

export interface CreatedAutomation {
	id: string;
	definition: Record<string, unknown>;
	idempotency_key: string;
	at: string;
}

/** The control plane, a method for each route. Throws an Error with the sandbox's own message. */
export class SandboxControl {
	readonly #http: AxiosInstance;

	/** @param url base address of the service */
	constructor(url: string) {
		this.#http = axios.create({ baseURL: `${url.replace(/\/+$/, '')}/_sandbox`, proxy: false, validateStatus: () => true });
	}

	describe(): Promise<{
		version: string;
		url: string;
		switches: Record<string, SwitchDefinition>;
		organizations: { id: string; name: string }[];
	}> {
		return this.#call('GET', '/');
	}

	createOrganization(options: OrganizationOptions = {}): Promise<Organization> {
		return this.#call('POST', '/organizations', options);
	}

	organization(id: string): Promise<OrganizationState> {
		return this.#call('GET', `/organizations/${id}`);
	}

	changeOrganization(id: string, changes: OrganizationChanges): Promise<OrganizationChanges> {
		return this.#call('PATCH', `/organizations/${id}`, changes);
	}

	deleteOrganization(id: string): Promise<void> {
		return this.#call('DELETE', `/organizations/${id}`);
	}

	createKey(id: string, rights: { scopes?: Scope[]; role?: Role } = {}): Promise<{ key: string; key_id: string }> {
		return this.#call('POST', `/organizations/${id}/keys`, rights);
	}

	revokeKey(id: string, key: string): Promise<void> {
		return this.#call('POST', `/organizations/${id}/keys/revoke`, { key });
	}

	addTransactions(id: string, transactions: WrittenTransaction[]): Promise<{ ids: string[] }> {
		return this.#call('POST', `/organizations/${id}/transactions`, { transactions });
	}

	changeTransaction(id: string, transaction: string, changes: WrittenTransaction): Promise<{ id: string }> {
		return this.#call('PATCH', `/organizations/${id}/transactions/${encodeURIComponent(transaction)}`, changes);
	}

	tagApplications(id: string): Promise<TagApplication[]> {
		return this.#call('GET', `/organizations/${id}/tag-applications`);
	}

	automations(id: string): Promise<CreatedAutomation[]> {
		return this.#call('GET', `/organizations/${id}/automations`);
	}

	/** Appends faults; gives all that wait. */
	addFaults(id: string, faults: Fault[]): Promise<Fault[]> {
		return this.#call('POST', `/organizations/${id}/faults`, { faults });
	}

	faults(id: string): Promise<Fault[]> {
		return this.#call('GET', `/organizations/${id}/faults`);
	}

	clearFaults(id: string): Promise<void> {
		return this.#call('DELETE', `/organizations/${id}/faults`);
	}

	/** The requests of an organization after number `since`. */
	journal(id: string, since = 0): Promise<JournalEntry[]> {
		return this.#call('GET', `/organizations/${id}/journal?since=${since}`);
	}

	clearJournal(id: string): Promise<void> {
		return this.#call('DELETE', `/organizations/${id}/journal`);
	}

	/** The requests whose credential belonged to no organization. */
	unattributedJournal(since = 0): Promise<JournalEntry[]> {
		return this.#call('GET', `/journal?since=${since}`);
	}

	clearUnattributedJournal(): Promise<void> {
		return this.#call('DELETE', '/journal');
	}

	/** Sets how far the service's clock is ahead of the machine's, for every organization. */
	setClock(offset: string): Promise<{ now: string }> {
		return this.#call('POST', '/clock', { offset });
	}

	async #call<T>(method: string, url: string, data?: unknown): Promise<T> {
		const response = await this.#http.request<T & { error?: string }>({ method, url, data });
		if (response.status < 400) return response.data;
		throw new Error(`${method} ${url} answered ${response.status}: ${response.data.error ?? JSON.stringify(response.data)}`);
	}
}

function findMain(): string {
	for (let folder = process.cwd(); ; folder = path.dirname(folder)) {
		const candidate = path.join(folder, 'sandbox', 'src', 'main.ts');
		if (existsSync(candidate)) return candidate;
		if (folder === path.dirname(folder)) {
			throw new Error(`There is no sandbox/src/main.ts above ${process.cwd()}; pass its path as "main"`);
		}
	}
}

/** The command line flags of the options. */
export function flagsOf(options: SandboxOptions): string[] {
	const { port, host, data, seed, epoch, leads, transactions, manualRecords, minute, budgets, switches, ...others } = options;
	const { readBudget, writeBudget, dayBudget, journalLimit } = others;
	const values = {
		port, host, data, seed, epoch, leads, transactions, 'manual-records': manualRecords, minute,
		'budgets': budgets === undefined ? undefined : budgets ? 'on' : 'off',
		'read-budget': readBudget, 'write-budget': writeBudget, 'day-budget': dayBudget, 'journal-limit': journalLimit,
	};
	return [
		...Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)])),
		...Object.entries(switches ?? {}).flatMap(([name, value]) => ['--switch', `${name}=${value}`]),
	];
}

/** Starts a sandbox process and waits until it listens; throws with its message when it does not. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const child = spawn(options.node ?? process.execPath, [options.main ?? findMain(), ...flagsOf(options)], {
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let errors = '';
	child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
	// A sandbox must not outlive whoever started it.
	const end = () => child.kill('SIGKILL');
	process.once('exit', end);
	const ended = new Promise<number | null>((resolve) => {
		child.once('exit', (code) => {
			process.off('exit', end);
			resolve(code);
		});
		child.once('error', (error) => {
			errors += error.message;
			resolve(null);
		});
	});
	const ready = await firstLine(child, ended, () => errors);
	const { url, pid } = JSON.parse(ready) as { url: string; pid: number };
	return {
		url,
		pid,
		control: new SandboxControl(url),
		errors: () => errors,
		stop() {
			child.kill('SIGTERM');
			return ended;
		},
		async kill9() {
			child.kill('SIGKILL');
			await ended;
		},
	};
}

async function firstLine(child: ChildProcess, ended: Promise<number | null>, errors: () => string): Promise<string> {
	if (!child.stdout) throw new Error('The sandbox has no standard output');
	const lines = createInterface({ input: child.stdout });
	const line = new Promise<string>((resolve) => lines.once('line', resolve));
	const failed = ended.then((code) => {
		throw new Error(`The sandbox ended with code ${code} before it listened:\n${errors()}`);
	});
	failed.catch(() => undefined);
	return Promise.race([line, failed]);
}
