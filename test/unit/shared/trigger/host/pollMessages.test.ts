import type { IPollFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Connection } from '../../../../../nodes/shared/service/connection/connection.ts';
import { Endless, NoPage, Stalled, WrongState } from '../../../../../nodes/shared/trigger/core/failures.ts';
import { errorOf, pollLog, stateError, tellRedelivery } from '../../../../../nodes/shared/trigger/host/pollMessages.ts';
import { transactions } from '../../../../../nodes/TransactionTrigger/transactions.ts';
import { NOTHING } from '../../../../support/scripted/ports.ts';

const DECISION = { verdict: 'new', because: 'not in the memory' } as const;

function logging(level?: string, workflow?: string) {
	const lines: string[] = [];
	const line = (message: string) => lines.push(message);
	const logger = { debug: line, info: line, warn: line, ...(level !== undefined && { level }) };
	const getWorkflow = () => ({ name: workflow });
	const functions = { logger, getNode: () => ({ name: 'Transactions' }), getWorkflow } as unknown as IPollFunctions;
	const redact = (text: string) => text.replaceAll('sk_live_secret', '***');
	return { log: pollLog(functions, { redact } as Connection), lines };
}

function logged(ids: unknown[], level?: string): string[] {
	const { log, lines } = logging(level);
	for (const id of ids) log.decision({ id }, DECISION);
	return lines;
}

test('what a poll says is without secrets, whatever the level', () => {
	const { log, lines } = logging();
	log.info('seen sk_live_secret');
	log.warn('seen sk_live_secret, too');
	log.debug('and sk_live_secret');
	expect(lines).toEqual(['Transactions: seen ***', 'Transactions: seen ***, too', 'Transactions: and ***']);
});

test('the log of decisions shortens the ids, hides the key in them and keeps each on one line', () => {
	const [long, tooLong] = [75, 81].map((length) => 'x'.repeat(length));
	const ids = ['tx_1', 7, undefined, {}, 'a\n\u001b[31mb', 'sk_live_secret', `${long}sk_live_secret`, tooLong];
	const shown = ['tx_1', '7', 'without an id', 'without an id', 'a [31mb', '***', `${long}***`, 'x'.repeat(80)];
	expect(logged(ids)).toEqual(shown.map((id) => `Transactions: ${id}: new, not in the memory`));
});

test('each line names the workflow, since many have a trigger of the same name', () => {
	const { log, lines } = logging('debug', 'Buyers');
	log.warn('seen');
	log.decision({ id: 'tx_1' }, DECISION);
	expect(lines).toEqual(['Transactions (Buyers): seen', 'Transactions (Buyers): tx_1: new, not in the memory']);
});

test('nothing is logged at other levels', () => {
	expect(['debug', 'info', 'silent'].map((level) => logged(['tx_1'], level).length)).toEqual([1, 0, 0]);
	const { log, lines } = logging('info');
	log.debug('how it reads');
	expect(lines).toEqual([]);
});

test('the log says what is redelivered, and what is not, the expected only at the level debug', () => {
	const own = ['reported', 'reported', 'silent'].map((why) => ({ why }));
	const told = (level: string) => {
		const { log, lines } = logging(level);
		for (const redelivery of [{ own }, { whyNot: 'redelivered before' }, {}]) {
			tellRedelivery({ ...NOTHING, ...redelivery } as never, transactions.kind, log);
		}
		return lines;
	};
	const silent = 'Transactions: n8n has said nothing of 1 executions for an hour: they are repeated once';
	expect(told('info')).toEqual([silent]);
	expect(told('debug')).toEqual([
		silent,
		'Transactions: redelivers what 2 executions had: n8n did not store them',
		'Transactions: the last transactions that another process emitted are not repeated: they were repeated before',
	]);
});

const functions = { getNode: () => ({ name: 'Transactions', type: 't' }) } as unknown as IPollFunctions;

test.each([
	[new Endless('transactions'), 'this trigger needs another cursor for each page'],
	[new Stalled({ inVain: 5, furthest: 2 }), 'raise "Maximum Wait" under Options'],
])('n8n gets what a user can do about: %s', (failure, advice) => {
	const error = errorOf(functions, failure, transactions, true);
	expect(error).toBeInstanceOf(NodeApiError);
	expect(error).toMatchObject({ message: failure.message, description: expect.stringContaining(advice) });
});

test('no advice loses the state, as another credential would', () => {
	const stalled = new Stalled({ inVain: 5, furthest: 2 });
	const { description } = errorOf(functions, stalled, transactions, true) as NodeApiError;
	const advice = 'let everything else use another API key (with another credential, this trigger would start over)';
	expect(description).toContain(advice);
	expect(description).not.toContain('use a credential');
});

test('a wrong state says what is wrong, and how to start over', () => {
	const error = errorOf(functions, new WrongState('a page is turned once'), transactions, true);
	expect(error).toBeInstanceOf(NodeOperationError);
	const message = 'The state of this trigger would be wrong: a page is turned once. Nothing was saved.';
	expect(error).toMatchObject({ message, description: expect.stringContaining('To start over, duplicate this node') });
});

test('n8n gets the failure itself of one that passes, and any other as it is', () => {
	const description = 'Wait a moment.';
	const cause = new NodeApiError(functions.getNode(), { message: 'an outage' }, { description });
	const other = new Error('a wrong key');
	expect(errorOf(functions, new NoPage('recovering', 'an outage', cause), transactions, true)).toBe(cause);
	expect(cause.description).toBe(description);
	expect(errorOf(functions, other, transactions, true)).toBe(other);
});

test('a saved state that cannot be used says why, and how to start over', () => {
	const error = stateError(functions, 'its version is 2, not 1', { ...transactions, whereItWas: 'the last date' });
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error.message).toBe('The saved state of this trigger cannot be used: its version is 2, not 1');
	expect(error.description).toMatch(/^Nothing was changed\. .* set "Start From" of the copy to the last date\.$/);
});
