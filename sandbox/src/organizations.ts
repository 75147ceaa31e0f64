import { randomBytes } from 'node:crypto';
import type { KeyKind, SeedCounts } from './data/seed.ts';
import { seedKeys, seedOrganization } from './data/seed.ts';
import type { OrganizationSettings, ProcessDefaults } from './organization.ts';
import { NO_SETTINGS, Organization } from './organization.ts';
import type { Database } from './storage/database.ts';
import { ORGANIZATION_TABLES } from './storage/schema.ts';

interface OrganizationRow {
	number: number;
	id: string;
	name: string;
	seed: number;
	settings: string;
}

/** What to create an organization from; `epoch` is the moment its history ends. */
interface NewOrganization {
	id?: string;
	name: string;
	seed: number;
	epoch: number;
	counts: SeedCounts;
	settings: OrganizationSettings;
	/** The published key of each kind; random ones when left out. */
	tokenOf?: (kind: KeyKind) => string;
}

/** The organizations of the process: stored in the database, cached in memory. */
export class Organizations {
	private readonly database: Database;
	private readonly defaults: ProcessDefaults;
	private readonly known = new Map<number, Organization>();

	constructor(database: Database, defaults: ProcessDefaults) {
		this.database = database;
		this.defaults = defaults;
		for (const row of database.all<OrganizationRow>('SELECT * FROM organizations ORDER BY number')) {
			this.remember(row);
		}
	}

	all(): Organization[] {
		return [...this.known.values()];
	}

	byNumber(number: number): Organization | undefined {
		return this.known.get(number);
	}

	byId(id: string): Organization | undefined {
		return this.all().find((organization) => organization.id === id);
	}

	create(wanted: NewOrganization): { organization: Organization; keys: Record<KeyKind, string> } {
		const id = wanted.id ?? `org_${randomBytes(6).toString('hex')}`;
		const tokenOf = wanted.tokenOf ?? ((kind) => `sk_${kind}_${randomBytes(12).toString('hex')}`);
		return this.database.transaction(() => {
			const number = this.database.run(
				'INSERT INTO organizations (id, name, seed, settings) VALUES (?, ?, ?, ?)',
				id,
				wanted.name,
				wanted.seed,
				JSON.stringify(wanted.settings),
			);
			const target = { organization: number, seed: wanted.seed, epoch: wanted.epoch };
			seedOrganization(this.database, target, wanted.counts);
			const keys = seedKeys(this.database, target, tokenOf);
			const row = this.database.get<OrganizationRow>('SELECT * FROM organizations WHERE number = ?', number);
			return { organization: this.remember(row as OrganizationRow), keys };
		});
	}

	change(organization: Organization, settings: OrganizationSettings): void {
		this.database.run(
			'UPDATE organizations SET settings = ? WHERE number = ?',
			JSON.stringify(settings),
			organization.number,
		);
		organization.change(settings);
	}

	delete(organization: Organization): void {
		this.database.transaction(() => {
			for (const table of ORGANIZATION_TABLES) {
				this.database.run(`DELETE FROM ${table} WHERE organization = ?`, organization.number);
			}
			this.database.run('DELETE FROM organizations WHERE number = ?', organization.number);
		});
		this.known.delete(organization.number);
	}

	private remember(row: OrganizationRow): Organization {
		const settings = JSON.parse(row.settings) as OrganizationSettings;
		const organization = new Organization(row, settings, this.defaults);
		this.known.set(row.number, organization);
		return organization;
	}
}

/** Seeds the two published organizations with their published demo keys. */
export function createPublishedOrganizations(
	organizations: Organizations,
	{ seed, epoch, counts }: { seed: number; epoch: number; counts: SeedCounts },
): { aurora: Organization } {
	const { organization: aurora } = organizations.create({
		id: 'org_aurora',
		name: 'Aurora Studio',
		seed,
		epoch,
		counts,
		settings: NO_SETTINGS,
		tokenOf: (kind) => `sk_demo_${kind}_aurora`,
	});
	organizations.create({
		id: 'org_borealis',
		name: 'Borealis Coaching',
		seed: seed + 1,
		epoch,
		settings: NO_SETTINGS,
		counts: { leads: 200, transactions: 50, manualRecords: 10 },
		tokenOf: (kind) => `sk_demo_${kind}_borealis`,
	});
	return { aurora };
}
