import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { manualRecords } from '../../../../../nodes/ManualRecordTrigger/manualRecords.ts';
import { readSettings } from '../../../../../nodes/shared/trigger/parameters/settings.ts';
import { transactions } from '../../../../../nodes/TransactionTrigger/transactions.ts';
import { connectionOf } from '../../../../support/scripted/wire.ts';

function read(parameters: IDataObject = {}, connection = connectionOf('one'), source = transactions) {
	const all: IDataObject = { event: source.events.new, startFrom: 'now', ...parameters };
	const functions = {
		getNode: () => ({ name: 'Trigger', type: 'trigger', parameters: {} }),
		getNodeParameter: (name: string, fallback?: unknown) => all[name] ?? fallback,
		getTimezone: () => 'Europe/Berlin',
	};
	return readSettings(functions as never, connection, source);
}

describe('the settings of the trigger', () => {
	test('that are left at their defaults', () => {
		const poll = { keepsContent: false, fieldsToWatch: [], overlapMs: 300_000, startFrom: 'now', maxRecords: 5_000 };
		expect(read()).toEqual({
			poll: { ...poll, failedFilter: expect.any(Function) },
			store: { subject: expect.stringMatching(/^[\w-]{22}$/), keepsContent: false, afterRestart: 'recent' },
			retry: { maxAttempts: 5, maxWaitMs: 120_000, timeoutMs: 60_000 },
		});
		expect(read().poll.failedFilter({})).toBeUndefined();
	});

	test('that are set', () => {
		const options = { overlap: 1.5, maxTransactions: 1, afterRestart: 'continue', maxAttempts: 2 };
		const { poll, store, retry } = read({ event: 'newOrUpdatedTransaction', options, filters: { currency: ['EUR'] } });
		expect(poll).toMatchObject({ keepsContent: true, overlapMs: 90_000, maxRecords: 1 });
		expect(store).toMatchObject({ keepsContent: true, afterRestart: 'never' });
		expect(['eur', 'usd'].map((currency) => poll.failedFilter({ currency }))).toEqual([undefined, 'Currencies']);
		expect(retry.maxAttempts).toBe(2);
	});

	test.each([
		['repeatIfRecent', 'recent'],
		// Earlier versions saved these.
		['repeat', 'always'],
		['continue', 'never'],
	])('After a Restart: %s', (afterRestart, meaning) => {
		expect(read({ options: { afterRestart } }).store.afterRestart).toBe(meaning);
	});

	test.each(['never', '', 7])('After a Restart does not guess what %j means', (afterRestart) => {
		const unknown = '"After a Restart" has a value that this node does not know';
		expect(() => read({ options: { afterRestart } })).toThrow(unknown);
	});

	test.each<[string, IDataObject]>([
		['Event', { event: 'newOrUpdatedManualRecord' }],
		['Start From', { startFrom: 'Date', startDate: '2026-01-20' }],
	])('%s does not guess: %j', (displayName, parameters) => {
		expect(() => read(parameters)).toThrow(`"${displayName}" has a value that this node does not know`);
	});

	test.each([
		['2026-01-20T12:00:00', '2026-01-20T11:00:00Z'],
		['2026-07-20T12:00:00', '2026-07-20T10:00:00Z'],
		['2026-01-20T12:00:00Z', '2026-01-20T12:00:00Z'],
	])('Start Date %s, in the time zone of the workflow', (startDate, moment) => {
		expect(read({ startFrom: 'date', startDate }).poll.startFrom).toBe(Date.parse(moment));
		expect(read({ startFrom: 'now', startDate }).poll.startFrom).toBe('now');
	});

	test('Start Date that is empty says what to do', () => {
		const description = expect.stringContaining('choose "Now" under "Start From"');
		const context = expect.objectContaining({ itemIndex: 0 });
		const node = expect.objectContaining({ name: 'Trigger' });
		const rejected = expect.objectContaining({ message: '"Start Date" is empty', description, node, context });
		expect(() => read({ startFrom: 'date', startDate: '' })).toThrow(rejected);
		expect(() => read({ startFrom: 'date' })).toThrow('"Start Date" is empty');
		expect(() => read({ startFrom: 'date', startDate: 'soon' })).toThrow('"Start Date" is not a date');
	});

	test.each<[IDataObject, string]>([
		[{ overlap: 0.9 }, '"Overlap" must be a number, from 1 to 525600'],
		[{ overlap: 1e12 }, '"Overlap" must be a number, from 1 to 525600'],
		[{ maxTransactions: 0 }, '"Max Transactions per Poll" must be a whole number, from 1 to 50000'],
		[{ maxTransactions: 50_001 }, '"Max Transactions per Poll" must be a whole number, from 1 to 50000'],
	])('%j is rejected', (options, message) => {
		expect(() => read({ options })).toThrow(message);
	});

	const NAMES = ['amount', 'status'];
	const LABELS = ['Lead ID', 'STATUS', 'Payout_State'];

	test.each<[unknown, string[]]>([
		[undefined, []],
		[[], []],
		['', []],
		[['status', 'amount', 'status'], NAMES],
		['status, amount ,', NAMES],
		[LABELS, ['Payout_State', 'lead_id', 'status']],
	])('Fields to Watch %j, of New or Updated alone', (fieldsToWatch, names) => {
		const { poll, store } = read({ event: 'newOrUpdatedTransaction', fieldsToWatch } as IDataObject);
		expect(poll.fieldsToWatch).toEqual(names);
		expect(store.subject).toBe(read({ event: 'newOrUpdatedTransaction' }).store.subject);
		expect(read({ fieldsToWatch } as IDataObject).poll.fieldsToWatch).toEqual([]);
	});

	test('Fields to Watch that are no texts are rejected', () => {
		const rejected = () => read({ event: 'newOrUpdatedTransaction', fieldsToWatch: [{ status: true }] });
		expect(rejected).toThrow('"Fields to Watch" is not a list of texts');
	});

	test('have the subject that earlier versions saved: of the credential, its address and the event', () => {
		const digest = (text: string, encoding: 'base64' | 'base64url') =>
			createHash('sha256').update(text).digest(encoding);
		const connection = digest('one\nhttps://api.example.com', 'base64');
		expect(read().store.subject).toBe(digest(`${connection}\nnewTransaction`, 'base64url').slice(0, 22));
		const elsewhere = { ...connectionOf('one'), baseUrl: 'https://other.example.com' };
		expect(read({}, elsewhere).store.subject).not.toBe(read().store.subject);
	});

	test('have a different subject for another credential or event', () => {
		const others = [read({}, connectionOf('two')), read({ event: 'newOrUpdatedTransaction' })];
		const identities = [read(), ...others].map(({ store }) => store.subject);
		expect(new Set(identities).size).toBe(3);
		expect(read({ options: { overlap: 9 } }).store.subject).toBe(identities[0]);
	});
});

test('the settings of a trigger for manual records have its own names', () => {
	const of = (parameters: IDataObject) => read(parameters, connectionOf('one'), manualRecords);
	const event = 'newOrUpdatedManualRecord';
	const { poll } = of({ event, fieldsToWatch: ['Paid At', 'STATUS'], options: { maxManualRecords: 7 } });
	expect(poll).toMatchObject({ keepsContent: true, fieldsToWatch: ['paid_at', 'status'], maxRecords: 7 });
	expect(of({}).poll.keepsContent).toBe(false);
	const none = { options: { maxManualRecords: 0 } };
	expect(() => of(none)).toThrow('"Max Manual Records per Poll" must be a whole number');
	// A node whose type was changed does not continue from the state of the other list.
	expect(new Set([of({}), of({ event }), read()].map(({ store }) => store.subject)).size).toBe(3);
});

test('the fields to watch are every documented field except the id, in the order of the saved details', () => {
	expect([transactions, manualRecords].map(({ kind }) => kind.fields.join(' '))).toEqual([
		'amount currency fee kind lead_id net occurred_at product_name provider status',
		'amount due_at installment_counter lead_id paid_at payment_type status',
	]);
});
