import type { Clock } from './clock.ts';
import { Identifiers } from './data/identifiers.ts';
import { Random, seedOf } from './data/random.ts';
import { FaultQueue } from './faults/faultQueue.ts';
import { Journal } from './journal.ts';
import type { RateLimitSettings } from './rateLimits.ts';
import { RateLimits } from './rateLimits.ts';
import type { AllSwitches, Switches } from './switches.ts';
import { switchDuration } from './switches.ts';

/** What an organization sets differently from the process defaults. */
export interface OrganizationSettings {
	switches: Switches;
	budgets: Partial<RateLimitSettings>;
	features: { keyword_automations?: boolean };
}

/** The settings of an organization that only has the defaults. */
export const NO_SETTINGS: OrganizationSettings = { switches: {}, budgets: {}, features: {} };

/** What is the same for every organization of the process. */
export interface ProcessDefaults {
	switches: AllSwitches;
	rateLimits: RateLimitSettings;
	journalLimit: number;
	clock: Clock;
}

/** One organization at run time. Its records are in the database; faults, journal and rate limits end with the process. */
export class Organization {
	readonly number: number;
	readonly id: string;
	readonly name: string;
	readonly seed: number;
	readonly identifiers: Identifiers;
	readonly faults: FaultQueue;
	readonly journal: Journal;
	private readonly defaults: ProcessDefaults;
	private settingsNow: OrganizationSettings;
	private switchesNow: AllSwitches;
	private rateLimitsNow: RateLimits;

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
		this.defaults = defaults;
		this.settingsNow = settings;
		this.switchesNow = { ...defaults.switches, ...settings.switches };
		this.rateLimitsNow = new RateLimits({ ...defaults.rateLimits, ...settings.budgets });
	}

	get switches(): AllSwitches {
		return this.switchesNow;
	}

	get rateLimits(): RateLimits {
		return this.rateLimitsNow;
	}

	get settings(): OrganizationSettings {
		return this.settingsNow;
	}

	get keywordAutomations(): boolean {
		return this.settingsNow.features.keyword_automations ?? true;
	}

	/** Milliseconds on this organization's clock. Cursors and keys age by it, and records get their timestamps from it. */
	now(): number {
		return this.defaults.clock.now() + switchDuration(this.switchesNow, 'clock-skew');
	}

	/** Applies changed settings. Changed rate limits count from zero. */
	change(settings: OrganizationSettings): void {
		const rateLimitsChanged = JSON.stringify(settings.budgets) !== JSON.stringify(this.settingsNow.budgets);
		this.settingsNow = settings;
		this.switchesNow = { ...this.defaults.switches, ...settings.switches };
		if (rateLimitsChanged) {
			this.rateLimitsNow = new RateLimits({ ...this.defaults.rateLimits, ...settings.budgets });
		}
	}
}
