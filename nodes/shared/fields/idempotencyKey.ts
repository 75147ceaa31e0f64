import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Place } from './read';
import { asText, parameterError, shown } from './read';

export const idempotencyKeyOption: INodeProperties = {
	displayName: 'Idempotency Key',
	name: 'idempotencyKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.orderId }}',
	description:
		'What identifies this change, so that the service makes it only once. Left empty, the same item of the same execution keeps its key when n8n retries it. Items with the same text count as the same change.',
};

/** The user's own key, or empty text for none. @throws NodeOperationError when it is neither text nor a whole number. */
export function readIdempotencyKey(place: Place, options: IDataObject): string {
	const value: unknown = options.idempotencyKey ?? '';
	const text = asText(value);
	if (text !== undefined) return text.trim();
	throw parameterError(
		place,
		'Idempotency Key',
		'is not text',
		`It is ${shown(value)}. Enter text that identifies the change, such as an order number, or leave it empty.`,
	);
}
