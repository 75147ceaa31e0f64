import { readFileSync } from 'node:fs';
import type { Message } from '../../support/messages.ts';
import { messagesBelow } from '../../support/messages.ts';

const documented = [...readFileSync('docs/errors.md', 'utf8').matchAll(/`([^`]+)`/g)].map(([, span]) => span as string);
const messages = messagesBelow('nodes');

/** Either side may have "…" where the other has text. */
function pattern({ text }: Message): RegExp {
	const literal = text.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	return new RegExp(`^.*${literal.join('.*')}.*$`);
}

/** Whether a span of the page is the beginning of a long message, and ends with "…". */
function begins(span: string, { text }: Message): boolean {
	return span.length >= 60 && span.endsWith('…') && text.startsWith(span.slice(0, -1));
}

describe('docs/errors.md', () => {
	test.each(messages.map((message) => [message.text, message] as const))('has: %s', (_text, message) => {
		const found = documented.some((span) => pattern(message).test(span) || begins(span, message));
		expect(found ? '' : `nodes/${message.place}: no message in docs/errors.md is like "${message.text}"`).toBe('');
	});

	test('has no message that no node gives', () => {
		// Messages are whole sentences or begin with a parameter's name; other code spans are values and settings.
		const sentences = documented.filter((span) => /^("|[A-Z…].* .* )/.test(span));
		expect(sentences.length).toBeGreaterThan(60);
		expect(
			sentences.filter((span) => !messages.some((message) => pattern(message).test(span) || begins(span, message))),
		).toEqual([]);
	});

	test('is compared with all of the code', () => {
		expect(messages.length).toBeGreaterThan(80);
		const ofRequests = ['credentialFields', 'serviceErrors', 'statuses', 'networkFailures', 'pages', 'credentialTest'];
		for (const file of [...ofRequests, 'read', 'testEvent', 'savedForm', 'failures']) {
			expect(messages.some(({ place }) => place.includes(`/${file}.ts:`))).toBe(true);
		}
	});
});
