import type { Place } from '../shared/parameters/read';
import { asText, parameterError, shown, trimmed } from '../shared/parameters/read';

const NEXT = 'Select a lead from the list, or map a lead ID, such as {{ $json.lead_id }}.';

function hasControlCharacter(text: string): boolean {
	return [...text].some((character) => character < ' ' || (character >= '\u007f' && character <= '\u009f'));
}

/**
 * A lead ID, without the white space that copying leaves around it. Encoded, any ID is one segment of a path.
 * @throws NodeOperationError for what cannot be a lead ID: nothing, `.` and `..` (which would name another path), control
 * characters, broken Unicode, a number that was rounded, or something other than text or a number.
 */
export function readLeadId(place: Place, value: unknown): string {
	const text = asText(value);
	if (text === undefined) throw parameterError(place, 'Lead', 'is not a lead ID', `It is ${shown(value)}. ${NEXT}`);
	const id = trimmed(text);
	if (id === '') throw parameterError(place, 'Lead', 'is empty', NEXT);
	if (id === '.' || id === '..' || hasControlCharacter(id) || !id.isWellFormed()) {
		throw parameterError(place, 'Lead', 'is not a lead ID', `${shown(id)} cannot be an ID. ${NEXT}`);
	}
	return id;
}
