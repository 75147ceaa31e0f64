import type { IPollFunctions } from 'n8n-workflow';
import type { Connection } from '../../../../../nodes/shared/service/connection/connection';
import { decisionLog } from '../../../../../nodes/shared/trigger/host/decisionLog';

const DECISION = { verdict: 'new', because: 'never seen' } as const;

function logged(ids: unknown[], level?: string): string[] {
	const lines: string[] = [];
	const logger = { debug: (message: string) => lines.push(message), ...(level !== undefined && { level }) };
	const functions = { logger, getNode: () => ({ name: 'Transactions' }) } as unknown as IPollFunctions;
	const redact = (text: string) => text.replaceAll('sk_live_secret', '***');
	const log = decisionLog(functions, { redact } as Connection);
	for (const id of ids) log({ id }, DECISION);
	return lines;
}

test('the log of decisions shortens the ids, hides the key in them and keeps each on one line', () => {
	expect(
		logged(['tx_1', 7, undefined, {}, 'a\n\u001b[31mb', 'sk_live_secret', `${'x'.repeat(75)}sk_live_secret`]),
	).toEqual(
		['tx_1', '7', 'without an id', 'without an id', 'a [31mb', '***', `${'x'.repeat(75)}***`].map(
			(shown) => `Transactions: ${shown}: new, never seen`,
		),
	);
	expect(logged(['x'.repeat(81)])).toEqual([`Transactions: ${'x'.repeat(80)}: new, never seen`]);
});

test('nothing is logged at other levels', () => {
	expect(['debug', 'info', 'silent'].map((level) => logged(['tx_1'], level).length)).toEqual([1, 0, 0]);
});
