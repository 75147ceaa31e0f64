import type { JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import {
	apiError,
	joined,
	messageOf,
	nameInLog,
	operationError,
	sentence,
	withOwnMessage,
} from '../../../nodes/shared/errorText.ts';

test.each([
	['', ''],
	['Then v1.2 failed', 'Then v1.2 failed.'],
	['Over.', 'Over.'],
	['Over!', 'Over!'],
	['Over?', 'Over?'],
])('%j as a sentence is %j', (text, expected) => {
	expect(sentence(text)).toBe(expected);
});

test.each([
	[{ name: 'Buyers' }, 'Get Revenue (Buyers)'],
	[{}, 'Get Revenue'],
])('the log names a node of the workflow %j %j', (workflow, expected) => {
	const functions = { getNode: () => ({ name: 'Get Revenue' }), getWorkflow: () => workflow };
	expect(nameInLog(functions as never)).toBe(expected);
});

test('sentences are joined without the empty ones', () => {
	expect([joined('', 'One.', '', 'Two.'), joined('', '')]).toEqual(['One. Two.', '']);
});

test("an error has its own message where n8n would put n8n's", () => {
	const message = 'The name is preexisting';
	const error = new NodeApiError({ name: 'Node' } as never, { message } as JsonObject, { message });
	expect(error.message).not.toBe(message);
	expect(withOwnMessage(error, message)).toBe(error);
	expect(error.message).toBe(message);
});

test.each([
	['of a node', operationError],
	['of the service', apiError],
])('an error %s keeps a quoted text, but no tag', (_of, make) => {
	const error = make({ name: 'Node' } as never, 'It has "preexisting<b>"', { description: 'Look at <b>' });
	expect(error).toMatchObject({ message: 'It has "preexisting‹b>"', description: 'Look at ‹b>' });
});

test.each([
	['an error', new Error('the disk is full'), 'the disk is full'],
	['a text', 'full', 'full'],
	['nothing', undefined, 'undefined'],
])('says what was thrown: %s', (_what, thrown, message) => {
	expect(messageOf(thrown)).toBe(message);
});
