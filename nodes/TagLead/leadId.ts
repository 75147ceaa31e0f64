import type { Place } from '../shared/fields/read';
import { asText, parameterError, shown, trimmed } from '../shared/fields/read';

const NEXT = 'Pick a lead from the list, or map the id of one, such as {{ $json.lead_id }}.';

function hasControlCharacter(text: string): boolean {
	return [...text].some((character) => character < ' ' || (character >= '\u007f' && character <= '\u009f'));
}

/**
 * A lead's id, without what copying left around it. Encoded it is one segment of a path, whatever characters it has.
 * @throws NodeOperationError for what cannot be one lead's id: nothing, `.` and `..` (which would name another path),
 * control characters, broken Unicode, a number that has been rounded, or something other than text or a number.
 */
export function readLeadId(place: Place, value: unknown): string {
	const text = asText(value);
	if (text === undefined)
		throw parameterError(place, 'Lead', 'is not the id of a lead', `It is ${shown(value)}. ${NEXT}`);
	const id = trimmed(text);
	if (id === '') throw parameterError(place, 'Lead', 'is empty', NEXT);
	if (id === '.' || id === '..' || hasControlCharacter(id) || !id.isWellFormed()) {
		throw parameterError(place, 'Lead', 'is not the id of a lead', `${shown(id)} cannot be an id. ${NEXT}`);
	}
	return id;
}
