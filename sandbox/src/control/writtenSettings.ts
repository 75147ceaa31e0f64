import { strictObject } from '../jsonSchema.ts';
import type { OrganizationSettings } from '../organization.ts';
import type { RateLimitSettings } from '../rateLimits.ts';
import { parseMinute } from '../rateLimits.ts';
import { parseSwitches, SwitchError } from '../switches.ts';
import { ControlError } from './parts.ts';

/** Rate limits as tests write them; `minute` is a duration such as `1s`. */
export type WrittenRateLimits = Partial<Omit<RateLimitSettings, 'minute'>> & { minute?: string };

/** An organization's settings as tests write them. Members left out do not change. */
export interface WrittenSettings {
	switches?: Record<string, unknown>;
	/** The rate limits, by their name in the document (API document, Limits). */
	budgets?: WrittenRateLimits;
	features?: { keyword_automations?: boolean };
}

const REQUESTS = { type: 'integer', minimum: 1 };

/** JSON Schema of the members of {@link WrittenSettings}. */
export const WRITTEN_SETTINGS = {
	switches: { type: 'object' },
	budgets: strictObject({
		enabled: { type: 'boolean' },
		read: REQUESTS,
		write: REQUESTS,
		day: REQUESTS,
		minute: { type: 'string' },
	}),
	features: { type: 'object', additionalProperties: false, properties: { keyword_automations: { type: 'boolean' } } },
};

/** Returns the current settings with the written ones merged in. @throws ControlError for an unusable one. */
export function mergedSettings(current: OrganizationSettings, written: WrittenSettings): OrganizationSettings {
	try {
		return {
			switches: { ...current.switches, ...parseSwitches(written.switches ?? {}) },
			budgets: { ...current.budgets, ...rateLimitsOf(written.budgets ?? {}) },
			features: { ...current.features, ...written.features },
		};
	} catch (error) {
		throw error instanceof SwitchError ? new ControlError(400, error.message) : error;
	}
}

function rateLimitsOf({ minute, ...others }: WrittenRateLimits): Partial<RateLimitSettings> {
	if (minute === undefined) return others;
	const length = parseMinute(minute);
	if (length !== undefined) return { ...others, minute: length };
	throw new ControlError(400, `budgets.minute takes a duration from 1ms to 20m, not "${minute}"`);
}
