import { CredentialTestContext } from 'n8n-core';
import { systemClock } from '../../nodes/shared/service/clock.ts';
import type { Switches } from '../../sandbox/src/client.ts';
import { runFor } from '../support/engine/runNode.ts';
import { control, jsonResponse, organization, withoutBackoff } from '../support/service.ts';

withoutBackoff();

const warnings = () => jest.spyOn(new CredentialTestContext({} as never).logger, 'warn');

/** Reads 250 transactions, while three more arrive between the first page and the second. */
async function readWhileMoreArrive(switches: Switches) {
	const org = await organization({ transactions: 250, switches });
	await org.meets({ action: 'status', status: 500, match: { page: 2 } });
	const wait = jest.spyOn(systemClock, 'wait').mockImplementationOnce(async () => {
		await control.addTransactions(org.id, [{}, {}, {}]);
	});
	const { items, error } = await runFor(org, 'getRevenue', {
		operation: 'getTransactions',
		returnAll: true,
		output: 'selectedFields',
		fields: ['amount'],
	});
	expect(error).toBeUndefined();
	expect(wait).toHaveBeenCalled();
	return items.map(({ json }) => json.id);
}

describe('transactions that arrive while the list is read', () => {
	test('shift it under a cursor that is an offset: the log of n8n says that some arrived twice', async () => {
		const warn = warnings();
		const ids = await readWhileMoreArrive({ cursors: 'offset' });
		expect(ids).toHaveLength(253);
		expect(new Set(ids).size).toBe(250);
		expect(warn.mock.calls).toEqual([
			[
				'Node: The list changed while it was read: 3 records arrived twice, and others may be missing. Run the node again at a quiet time, or narrow the dates under Filters.',
			],
		]);
	});

	test('do not shift it under one that is a position, and nothing is said', async () => {
		const warn = warnings();
		const ids = await readWhileMoreArrive({ cursors: 'position' });
		expect(new Set(ids).size).toBe(ids.length);
		expect(warn.mock.calls).toEqual([]);
	});
});

describe('leads', () => {
	const leads = async (parameters = {}, faults: Parameters<typeof control.addFaults>[1] = [], input = [{}]) => {
		const org = await organization({ leads: 250 }, ...faults);
		return await runFor(org, 'listLeads', { returnAll: true, ...parameters }, { input });
	};

	test('that arrive twice are told in one hint for all input items, whatever is output of them', async () => {
		for (const parameters of [{}, { output: 'selectedFields', fields: ['stage'] }]) {
			const faults = [{ action: 'duplicate_page', times: 2, match: { page: 1 } }] as const;
			const { items, hints } = await leads(parameters, [...faults], [{}, {}]);
			expect(items).toHaveLength(700);
			expect(hints).toEqual([
				{
					message:
						'The list changed while it was read: 200 leads arrived twice, and others may be missing. Run the node again at a quiet time.',
					type: 'warning',
					location: 'outputPane',
				},
			]);
		}
	});

	test('are the same for each input item, which is no repeat', async () => {
		const { items, hints } = await leads({}, [], [{}, {}]);
		expect(items).toHaveLength(500);
		expect(hints).toEqual([]);
	});

	const pageOf = (next: string | null, ...data: object[]) =>
		jsonResponse({ data, next_cursor: next }, { status: 200, when: 'before' });
	const oneTwice = [expect.objectContaining({ message: expect.stringContaining(': 1 lead arrived twice') })];

	test('with long texts are told apart', async () => {
		const lead = (name: string) => ({ text: 'x'.repeat(5_000) + name });
		const { hints } = await leads({}, [pageOf('next', lead('a'), lead('b')), pageOf(null, lead('b'), lead('c'))]);
		expect(hints).toEqual(oneTwice);
	});

	test.each([
		['a text', ['a', 'b', 'c']],
		['a number', [1, 2, 3]],
	])('are recognized by an ID that is %s, even when they have changed', async (_type, [a, b, c]) => {
		const { hints } = await leads({}, [
			pageOf('next', { id: a, stage: 'new' }, { id: b, stage: 'new' }),
			pageOf(null, { id: c, stage: 'new' }, { id: b, stage: 'customer' }),
		]);
		expect(hints).toEqual(oneTwice);
	});

	test('are recognized by their ID beside leads that have none, and on one page', async () => {
		const mixed = await leads({}, [
			pageOf('next', { id: 'a', stage: 'new' }, { id: 'b', stage: 'new' }),
			pageOf(null, { id: 'b', stage: 'customer' }, { name: 'no ID' }),
		]);
		expect(mixed.hints).toEqual(oneTwice);
		const { hints } = await leads({}, [pageOf(null, { id: 'a', stage: 'new' }, { id: 'a', stage: 'new' })]);
		expect(hints).toEqual(oneTwice);
	});

	test.each([
		['is missing for one', {}, 'b', oneTwice],
		['is the same for all', { id: 'x' }, 'b', oneTwice],
		['is the same for all, and none arrives twice', { id: 'x' }, 'd', []],
	])('are compared as a whole where the ID %s', async (_what, first, last, expected) => {
		const { hints } = await leads({}, [
			pageOf('next', { ...first, name: 'a' }, { id: 'x', name: 'b' }),
			pageOf(null, { ...first, name: 'c' }, { id: 'x', name: last }),
		]);
		expect(hints).toEqual(expected);
	});
});
