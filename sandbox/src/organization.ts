import { Budgets, type BudgetSettings } from './budgets.ts';
import type { Clock } from './clock.ts';
import { Identifiers } from './data/identifiers.ts';
import { Random, seedOf } from './data/random.ts';
import { FaultQueue } from './faults/fault-queue.ts';
import { Journal } from './journal.ts';
import { switchDuration, type AllSwitches, type Switches } from './switches.ts';

/** What an organization sets differently from the process defaults. */
export interface OrganizationSettings {
	switches: Switches;
	budgets: Partial<BudgetSettings>;
	features: { keyword_automations?: boolean };
}

/** What is the same for every organization of the process. */
export interface ProcessDefaults {
	switches: AllSwitches;
	budgets: BudgetSettings;
	journalLimit: number;
	clock: Clock;
}

/** One organization at run time. Its records are in the database; faults, journal and budgets end with the process. */
export class Organization {
	readonly number: number;
	readonly id: string;
	readonly name: string;
	readonly seed: number;
	readonly identifiers: Identifiers;
	readonly faults: FaultQueue;
	readonly journal: Journal;
	readonly #defaults: ProcessDefaults;
	#settings: OrganizationSettings;
	#switches: AllSwitches;
	#budgets: Budgets;

	constructor(
		row: { number: number; id: string; name: string; seed: number },
		settings: OrganizationSettings,
		defaults: ProcessDefaults,
	) {
		this.number = row.number;
		this.id = row.id;
		this.name = row.name;
		this.seed = row.seed;
		this.identifiers = new Identifiers(row.number, row.seed);
		this.faults = new FaultQueue(new Random(seedOf(`faults ${row.seed}`)));
		this.journal = new Journal(defaults.journalLimit);
		this.#defaults = defaults;
		this.#settings = settings;
		this.#switches = { ...defaults.switches, ...settings.switches };
		this.#budgets = new Budgets({ ...defaults.budgets, ...settings.budgets });
	}

	get switches(): AllSwitches {
		return this.#switches;
	}

	get budgets(): Budgets {
		return this.#budgets;
	}

	get settings(): OrganizationSettings {
		return this.#settings;
	}

	get keywordAutomations(): boolean {
		return this.#settings.features.keyword_automations ?? true;
	}

	/** Milliseconds on this organization's clock, by which cursors and keys age and records are stamped. */
	now(): number {
		return this.#defaults.clock.now() + switchDuration(this.#switches, 'clock-skew');
	}

	/** Takes on changed settings. Changed budgets start with full buckets. */
	change(settings: OrganizationSettings): void {
		const budgetsChanged = JSON.stringify(settings.budgets) !== JSON.stringify(this.#settings.budgets);
		this.#settings = settings;
		this.#switches = { ...this.#defaults.switches, ...settings.switches };
		if (budgetsChanged) this.#budgets = new Budgets({ ...this.#defaults.budgets, ...settings.budgets });
	}
}
