import { DURATION_FORM, parseDuration } from '../duration.ts';
import type { Organization } from '../organization.ts';
import { ControlError } from './parts.ts';

/** Whether the organization has a lead at a position. */
export type HasLead = (position: number) => boolean;

/**
 * Reads the moments of a written record in milliseconds: an ISO date-time, or a duration from the organization's now (`-5m`,
 * `2s`); null for none, and `usual` for what was not written. @throws ControlError for any other text.
 */
export function momentsIn(organization: Organization) {
	return <Usual extends number | null, Text extends string | null | undefined>(
		name: string,
		text: Text,
		usual: Usual,
	): number | Usual | Extract<Text, null> => {
		if (text === undefined) return usual;
		if (text === null) return null as Extract<Text, null>;
		const duration = parseDuration(text);
		const moment = duration === undefined ? Date.parse(text) : organization.now() + duration;
		if (!Number.isNaN(moment)) return moment;
		throw new ControlError(
			400,
			`${name} is neither a date-time nor a duration from now: "${text}". A duration is ${DURATION_FORM}`,
		);
	};
}

/**
 * Returns the columns of a written lead: that of the organization, any other id, or none. Returns nothing when it was not
 * written.
 */
export function writtenLead(
	organization: Organization,
	leadId: string | null | undefined,
	hasLead: HasLead,
): { lead?: number | null; lead_text?: string | null } {
	if (leadId === undefined) return {};
	const position =
		leadId === null ? undefined : organization.identifiers.leadPosition(leadId, organization.switches['lead-id-kind']);
	const known = position !== undefined && hasLead(position);
	return { lead: known ? position : null, lead_text: known ? null : leadId };
}
