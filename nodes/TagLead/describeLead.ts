import type { IDataObject } from 'n8n-workflow';

// The fields of a lead are a gap of the API document (Resources, Gaps); these are the names that services commonly use.
const ID_FIELDS = ['id', 'lead_id', 'uuid', 'uid'];
const WHOLE_NAMES = ['name', 'full_name', 'fullName', 'display_name', 'displayName'];
const GIVEN_NAMES = ['first_name', 'firstName', 'given_name'];
const FAMILY_NAMES = ['last_name', 'lastName', 'family_name', 'surname'];
const OTHER_LABELS = ['username', 'handle', 'nickname', 'email', 'phone'];

function firstText(record: IDataObject, fields: readonly string[]): string | undefined {
	for (const field of fields) {
		const value = record[field];
		if (typeof value === 'number') return String(value);
		if (typeof value === 'string' && value.trim() !== '') return value.trim();
	}
	return undefined;
}

/** The lead, then the objects in it: a profile or a contact often has the name. */
function layers(lead: IDataObject): IDataObject[] {
	const nested = Object.values(lead).filter(
		(value): value is IDataObject => typeof value === 'object' && value !== null && !Array.isArray(value),
	);
	return [lead, ...nested];
}

function labelIn(record: IDataObject): string | undefined {
	const firstAndLast = [firstText(record, GIVEN_NAMES), firstText(record, FAMILY_NAMES)].filter(Boolean).join(' ');
	return firstText(record, WHOLE_NAMES) ?? (firstAndLast || firstText(record, OTHER_LABELS));
}

/** A lead's ID and the best label in its fields; `undefined` for a lead without a field that looks like an ID. */
export function describeLead(lead: IDataObject): { id: string; label: string } | undefined {
	const id = firstText(lead, ID_FIELDS);
	if (id === undefined) return undefined;
	const label = layers(lead)
		.map(labelIn)
		.find((found) => found !== undefined);
	return { id, label: label === undefined ? id : `${label} (${id})` };
}
