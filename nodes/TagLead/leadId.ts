import type { Place } from '../shared/fields/read';
import { parameterError } from '../shared/fields/read';

const NEXT = 'Pick a lead from the list, or map the id of one, such as {{ $json.lead_id }}.';

function hasControlCharacter(text: string): boolean {
	return [...text].some((character) => character < ' ' || (character >= '\u007f' && character <= '\u009f'));
}

/**
 * A lead's id as it goes into the path: one segment, whatever characters it has.
 * @throws NodeOperationError for what cannot be one lead's id: nothing, `.` and `..` (which would name another path),
 * control characters, broken Unicode, or something other than text or a number.
 */
export function readLeadId(place: Place, value: unknown): { id: string; segment: string } {
	const id = typeof value === 'number' ? String(value) : value;
	if (typeof id !== 'string') throw parameterError(place, 'Lead', 'is not the id of a lead', `It is ${JSON.stringify(value)?.slice(0, 80)}. ${NEXT}`);
	if (id.trim() === '') throw parameterError(place, 'Lead', 'is empty', NEXT);
	if (id === '.' || id === '..' || hasControlCharacter(id) || !id.isWellFormed()) {
		throw parameterError(place, 'Lead', 'is not the id of a lead', `${JSON.stringify(id).slice(0, 80)} cannot be an id. ${NEXT}`);
	}
	return { id, segment: encodeURIComponent(id) };
}
