import type { BudgetSettings } from '../budgets.ts';
import { parseMinute } from '../budgets.ts';
import type { OrganizationSettings } from '../organization.ts';
import { parseSwitches, SwitchError } from '../switches.ts';
import { ControlError } from './parts.ts';

/** Budgets as tests write them; `minute` is a duration such as `1s`. */
export type WrittenBudgets = Partial<Omit<BudgetSettings, 'minute'>> & { minute?: string };

/** An organization's settings as tests write them. Members left out do not change. */
export interface WrittenSettings {
	switches?: Record<string, unknown>;
	budgets?: WrittenBudgets;
	features?: { keyword_automations?: boolean };
}

const POINTS = { type: 'integer', minimum: 1 };

/** JSON Schema of the members of {@link WrittenSettings}. */
export const WRITTEN_SETTINGS = {
	switches: { type: 'object' },
	budgets: {
		type: 'object',
		additionalProperties: false,
		properties: {
			enabled: { type: 'boolean' },
			read: POINTS,
			write: POINTS,
			day: POINTS,
			minute: { type: 'string' },
		},
	},
	features: {
		type: 'object',
		additionalProperties: false,
		properties: { keyword_automations: { type: 'boolean' } },
	},
};

function budgetsOf({ minute, ...others }: WrittenBudgets): Partial<BudgetSettings> {
	if (minute === undefined) return others;
	const length = parseMinute(minute);
	if (length !== undefined) return { ...others, minute: length };
	throw new ControlError(400, `budgets.minute takes a duration from 1ms to 20m, not "${minute}"`);
}

/** The current settings with the written ones merged in. @throws ControlError for an unusable one. */
export function mergedSettings(current: OrganizationSettings, written: WrittenSettings): OrganizationSettings {
	try {
		return {
			switches: { ...current.switches, ...parseSwitches(written.switches ?? {}) },
			budgets: { ...current.budgets, ...budgetsOf(written.budgets ?? {}) },
			features: { ...current.features, ...written.features },
		};
	} catch (error) {
		throw error instanceof SwitchError ? new ControlError(400, error.message) : error;
	}
}
