import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { emptyPart, expressionAt, given } from './expressions';
import type { Place } from './read';
import { asText, parameterError, shown, trimmed } from './read';

export const idempotencyKeyOption: INodeProperties = {
	displayName: 'Idempotency Key',
	name: 'idempotencyKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.orderId }}',
	description:
		'What identifies this change, so that the service makes it only once. Left empty, the same item of the same execution keeps its key when n8n retries it. Items with the same text count as the same change.',
};

// What n8n gives for $execution.id where there is no execution: for an MCP client, and for its Agents.
const NO_EXECUTION = '__UNKNOWN__';

const NAME = 'Idempotency Key';
const PATH = 'options.idempotencyKey';

// What JavaScript makes of a missing value in a text; separators alone.
const HOLLOW = /undefined|\[object |(^|[-_/|#. ])(null|NaN)($|[-_/|#. ])|^[\p{P}\p{Z}|]+$/u;

/**
 * The user's own key, or empty text for none. A key with a part missing would be the same for different changes, of which
 * the service makes only the first.
 * @throws NodeOperationError when it is neither text nor a whole number, or an expression gives nothing.
 */
export function readIdempotencyKey(place: Place, options: IDataObject): string {
	const value = given(place, NAME, options.idempotencyKey, PATH) ?? '';
	const text = asText(value);
	if (text === undefined) {
		throw parameterError(
			place,
			NAME,
			'is not text',
			`It is ${shown(value)}. Enter text that identifies the change, such as an order number, or leave it empty.`,
		);
	}
	if (text.includes(NO_EXECUTION)) {
		throw parameterError(
			place,
			NAME,
			'needs $execution.id, and there is no execution here',
			'n8n runs this call of a tool without one, so the key would be the same for ever. Take something else that identifies the change.',
		);
	}
	const empty = emptyPart(place, PATH);
	const hollow = empty === undefined && expressionAt(place, PATH)?.includes('{{') === true && HOLLOW.test(text);
	if (empty !== undefined || hollow) {
		throw parameterError(
			place,
			NAME,
			'has a part that gives nothing',
			`${hollow ? `It is ${shown(text)}` : `${empty} gives nothing`}, so different changes would count as one. Look for a misspelled or missing field, or say what stands for a missing one, such as {{ $json.leadId ?? "none" }}.`,
		);
	}
	return trimmed(text);
}
