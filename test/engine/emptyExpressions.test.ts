import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { byId } from '../../scripts/n8n/workflows.ts';
import type { NodeRun } from '../support/engine/runNode.ts';
import { runFor, succeeded } from '../support/engine/runNode.ts';
import { Trigger } from '../support/engine/trigger.ts';
import { draft, keys, tag, tagAll } from '../support/engine/writes.ts';
import type { TestOrganization } from '../support/service.ts';
import { organization } from '../support/service.ts';

/** n8n returns for these, measured: `undefined`, null, null (it swallows what is thrown inside), '', ' ' and []. */
const NOTHING = [
	'={{ $json.nope }}',
	'={{ null }}',
	'={{ $json.nope.deeper }}',
	'={{ "" }}',
	'={{ " " }}',
	'={{ [] }}',
	'=  {{ $json.nope }}',
];

/** Plainly empty values of a field; the editor writes "=" for an expression that is left empty. */
const EMPTY = ['', '  ', '=', '= '];

const revenue = async (org: TestOrganization, parameters: INodeParameters, more: Partial<NodeRun> = {}) =>
	await runFor(org, 'getRevenue', parameters, more);

/** Runs a node that has to fail before it sends any request. */
async function rejection(org: TestOrganization, ...node: [string, INodeParameters, Partial<NodeRun>?]) {
	const { error, items } = await runFor(org, ...node);
	expect(items).toEqual([]);
	expect(await org.journal()).toEqual([]);
	return error;
}

describe('an Idempotency Key that is an expression', () => {
	const withKey = (idempotencyKey: string) => ({ ...draft, options: { idempotencyKey } });

	/** Returns the error of one item with this key. */
	async function rejectionOf(idempotencyKey: string, json: IDataObject = {}) {
		const org = await organization();
		return await rejection(org, 'createKeywordAutomation', withKey(idempotencyKey), { input: [json] });
	}

	test.each(NOTHING)('and returns nothing is rejected: %s', async (idempotencyKey) => {
		const org = await organization();
		for (const [type, parameters] of [
			['tagLead', tag(org, 'lead', { options: { idempotencyKey } })],
			['createKeywordAutomation', withKey(idempotencyKey)],
		] as const) {
			const error = await rejection(org, type, parameters);
			expect(error?.message).toBe('"Idempotency Key" is an expression that returns nothing');
			expect(error?.description).toContain('misspelled');
		}
	});

	test('is rejected without its =, which n8n takes for the same text in every item', async () => {
		expect((await rejectionOf('{{ $json.order }}'))?.message).toBe('"Idempotency Key" is not an expression');
	});

	test('is rejected for the one item for which it returns nothing', async () => {
		const org = await organization();
		const { items } = await runFor(org, 'createKeywordAutomation', withKey('={{ $json.order }}'), {
			input: [{ order: 'A' }, {}, { order: 'B' }],
			onError: 'continueRegularOutput',
		});
		expect(items.map(({ json }) => json.error)).toEqual([
			undefined,
			'"Idempotency Key" is an expression that returns nothing',
			undefined,
		]);
		expect(await org.journal()).toHaveLength(2);
	});

	test.each<[string, IDataObject, string]>([
		['={{ $json.order }}-{{ $json.lead }}', {}, '{{ $json.order }} returns nothing'],
		['={{ $json.order }}-{{ $json.lead }}', { order: 17 }, '{{ $json.lead }} returns nothing'],
		['={{ $json.order }}-{{ $json.lead }}', { order: 17, lead: ' ' }, '{{ $json.lead }} returns nothing'],
		['=order-{{ $json.order }}', {}, '{{ $json.order }} returns nothing'],
		['=order-{{ $json.order.id }}', {}, '{{ $json.order.id }} returns nothing'],
		['={{ $json.order }}{{ $json.lead }}', { order: 17 }, '{{ $json.lead }} returns nothing'],
		['={{ $json.order * 1 }}-{{ $json.lead }}', { lead: 7 }, '{{ $json.order * 1 }} returns nothing'],
		['={{ "order-" + $json.order }}', {}, 'It is "order-undefined"'],
		['={{ `${$json.order}-${$json.lead}` }}', { order: null, lead: 7 }, 'It is "null-7"'],
		['={{ $json.order + " " + $json.lead * 1 }}', { order: 'x' }, 'It is "x NaN"'],
		['=order {{ $json.order }}', { order: { id: 1 } }, 'It is "order [object Object]"'],
		['={{ [$json.order, $json.lead].join("-") }}', {}, 'It is "-"'],
		['={{ "order:" + $json.order }}', { order: null }, 'It is "order:null"'],
		['={{ `order=${$json.order}` }}', { order: '' }, '{{ $json.order }} returns nothing'],
		['={{ $json.order + "-" + $json.lead }}', { order: 17, lead: '' }, '{{ $json.lead }} returns nothing'],
		['={{ $json.order + "-" + $json.lead }}', { order: 17, lead: [] }, '{{ $json.lead }} returns nothing'],
		['={{ [$json.order, $json.lead].join("-") }}', { order: 17, lead: null }, '{{ $json.lead }} returns nothing'],
		['={{ [$json.order, $json["lead"]].join("-") }}', { order: 17 }, '{{ $json["lead"] }} returns nothing'],
		['={{ $json.order.concat($json.lead) }}', { order: 'A', lead: null }, '{{ $json.lead }} returns nothing'],
		["={{ 'A' + $('Input').item.json.lead }}", { lead: '' }, "{{ $('Input').item.json.lead }} returns nothing"],
		['={{ $json.order + "||" + $json.lead }}', { order: 17, lead: '' }, '{{ $json.lead }} returns nothing'],
		['={{ $json.order.hash() }}', { order: '' }, '{{ $json.order }} returns nothing'],
		['={{ `tag?order=${$json.order}` }}', { order: '' }, '{{ $json.order }} returns nothing'],
		['={{ `if ${$json.lead}?${$json.order}` }}', { lead: 7, order: '' }, '{{ $json.order }} returns nothing'],
		['={{ `order ${$json.order + "?"}` }}', { order: '' }, '{{ $json.order }} returns nothing'],
		['={{ "C:\\\\" + $json.order + "?" }}', { order: '' }, '{{ $json.order }} returns nothing'],
		['={{ // the order, if any\n"order:" + $json.order }}', { order: '' }, '{{ $json.order }} returns nothing'],
		['={{ "at:" + $json.url.replace(/^https?:/, "") }}', { url: '' }, '{{ $json.url }} returns nothing'],
		['={{ "tag:" + $json.filter + $json.order }}', { filter: 7, order: '' }, '{{ $json.order }} returns nothing'],
		['={{ "a\\}}" + $json.order }}', { order: '' }, '{{ $json.order }} returns nothing'],
		['=order {{ $json.order', { order: '' }, '{{ $json.order returns nothing'],
		['={{ DateTime.fromISO($json.at).toFormat("yyyy") }}', { at: '2026/1/3' }, 'It is "Invalid DateTime"'],
		['={{ new Date($json.at).toString() }}', { at: 'soon' }, 'It is "Invalid Date"'],
		['={{ "order:" + $json.order.trim }}', { order: 'A' }, 'It is "order:function trim() { [native code] }"'],
		['=order {{ `${$json.orders.join}` }}', { orders: ['A'] }, 'It is "order function join() { [native code] }"'],
		['={{ "order:" + $json.order * 1 }}', { order: 'x' }, 'It is "order:NaN"'],
		['={{ $jmesPath($json, "order.id") + "@shop" }}', { order: { name: 'A' } }, 'It is "null@shop"'],
		['={{ "order=" + $json.title.match(/[0-9]+/) }}', { title: 'A' }, 'It is "order=null"'],
	])('%s with %j has a part that returns nothing', async (idempotencyKey, json, description) => {
		const error = await rejectionOf(idempotencyKey, json);
		expect(error?.message).toBe('"Idempotency Key" has a part that returns nothing');
		expect(error?.description).toContain(description);
	});

	test.each<[string, number, string]>([
		['=order {{ $json.id }}', 2 ** 60, '{{ $json.id }} is 1152921504606847000.'],
		['={{ "order " + $json.id }}', -(2 ** 53), '{{ $json.id }} is -9007199254740992.'],
		['={{ `order ${$json.id ?? "none"}` }}', 2 ** 53, '{{ $json.id }} is 9007199254740992.'],
		['=order {{ 1 / $json.id }}', 0, '{{ 1 / $json.id }} is Infinity.'],
	])('%s with %d is rejected: other numbers were rounded to the same', async (idempotencyKey, id, description) => {
		const error = await rejectionOf(idempotencyKey, { id });
		expect(error?.message).toBe('"Idempotency Key" is not text');
		expect(error?.description).toContain(description);
	});

	test.each<[string, IDataObject]>([
		['={{ $json.order }}-{{ $json.lead }}', { order: 0, lead: false }],
		['={{ $ifEmpty($json.order, "none") + "-" + $if($json.lead, $json.lead, "none") }}', {}],
		['={{ $json.order + "-" + $json.lead?.id }}', { order: 0, lead: { id: false } }],
		['={{ `order-${$json.order ?? "none"}` + ($json.lead || `none`) }}', {}],
		['={{ `order-${$json.order ? `${$json.order}` : "none"}` }}', {}],
		['= {{ $json.order }} ', { order: 'A' }],
		['=\\{{ $json.nope }} {{ $json.order }}', { order: 'A' }],
		['={{ ({ a: $json.order }).a }}-{{ "\\}}" }}', { order: 'A' }],
		['={{ // not $json.nope\n"order:" + $json.order }}', { order: 'A' }],
		['=order {{ $json.order }} {{ $json.order / 2 + "/" + $json.lead }}', { order: 2 ** 53 - 1, lead: 1.5 }],
		['={{ "order:" + ($json.nope / 2 || $json.order / 2) }}', { order: 8 }],
		['=order {{ $json.order', { order: 'A' }],
	])('%s with %j is a key', async (idempotencyKey, json) => {
		const org = await organization();
		await succeeded(runFor(org, 'createKeywordAutomation', withKey(idempotencyKey), { input: [json] }));
		expect(await org.journal()).toHaveLength(1);
	});

	test.each(EMPTY)('left plainly empty (%j) is none: every item is a separate change', async (idempotencyKey) => {
		const org = await organization({ leads: 2 });
		await succeeded(tagAll(org, 2, { parameters: { options: { idempotencyKey } } }));
		expect(new Set(keys(await org.journal())).size).toBe(2);
	});
});

describe('a filter of Get Revenue that is an expression', () => {
	const FILTERS = [
		['getSummary', 'dateFrom', 'Date From'],
		['getTransactions', 'dateTo', 'Date To'],
		['getTransactions', 'updatedSince', 'Updated Since'],
		['getSummary', 'memberId', 'Member ID'],
		['getManualRecords', 'status', 'Status'],
		['getManualRecords', 'paymentType', 'Payment Type'],
	] as const;

	test.each(FILTERS)('%s: %s is rejected when it returns nothing', async (operation, name, displayName) => {
		const org = await organization();
		for (const value of NOTHING) {
			const error = await rejection(org, 'getRevenue', { operation, filters: { [name]: value } });
			expect(error?.message).toBe(`"${displayName}" is an expression that returns nothing`);
			expect(error?.description).toContain('remove it');
		}
	});

	test.each(FILTERS)('%s: %s is none when it is left plainly empty', async (operation, name) => {
		const org = await organization();
		for (const value of EMPTY) {
			await succeeded(revenue(org, { operation, filters: { [name]: value } }));
		}
		const journal = await org.journal();
		expect(journal).toHaveLength(EMPTY.length);
		for (const { query } of journal) expect(Object.keys(query).filter((key) => key !== 'page_size')).toEqual([]);
	});

	test('that is left from another operation does not count', async () => {
		const org = await organization();
		const filters = { memberId: '={{ $json.nope }}', status: '={{ $json.nope }}', updatedSince: '2026-01-01' };
		await succeeded(revenue(org, { operation: 'getTransactions', filters }));
	});
});

describe('an option that is an expression', () => {
	const NODES = [
		['getRevenue', {}],
		['listLeads', {}],
		['tagLead', { lead: byId('lead'), tagId: 1 }],
		['createKeywordAutomation', draft],
	] as const;
	const OPTIONS = [
		['maxAttempts', 'Maximum Attempts'],
		['maxWait', 'Maximum Wait'],
		['timeout', 'Timeout'],
	] as const;

	test.each(NODES)('of %s is rejected when it returns nothing, and has no default', async (type, parameters) => {
		const org = await organization();
		for (const [name, displayName] of OPTIONS) {
			const error = await rejection(org, type, { ...parameters, options: { [name]: '={{ $json.nope }}' } });
			expect(error?.message).toBe(`"${displayName}" is an expression that returns nothing`);
		}
	});

	test.each([
		['timeout', 'Timeout'],
		['proxy', 'Proxy'],
	])('of n8n’s own Request Options, too: %s', async (name, displayName) => {
		const org = await organization();
		const error = await rejection(org, 'getRevenue', { requestOptions: { [name]: '={{ $json.nope }}' } });
		expect(error?.message).toBe(`"${displayName}" is an expression that returns nothing`);
	});

	test.each<[string, INodeParameters]>([
		['Return All', { returnAll: '={{ $json.nope }}' }],
		['Limit', { limit: '={{ $json.nope }}' }],
	])('%s names itself', async (displayName, parameters) => {
		const org = await organization();
		const error = await rejection(org, 'listLeads', parameters);
		expect(error?.message).toContain(`"${displayName}"`);
	});
});

describe('an expression that fails', () => {
	const tagIds = { lead: byId('lead'), tagId: "={{ $('Again').item.json.tag }}" };

	test('names its parameter and the node that it reads, also in a failed item', async () => {
		const org = await organization();
		const { items } = await runFor(org, 'tagLead', tagIds, { onError: 'continueRegularOutput' });
		const message = 'Check the expression in the parameter "tagId", which depends on the node "Again".';
		expect(items.map(({ json }) => json.message)).toEqual([message]);
	});

	test('keeps what the editor shows of it', async () => {
		const error = await rejection(await organization(), 'tagLead', tagIds);
		expect(error?.context).toMatchObject({ parameter: 'tagId', descriptionKey: 'pairedItemNoConnection' });
	});
});

describe('the trigger', () => {
	test.each<[string, INodeParameters]>([
		['Statuses', { filters: { status: '={{ $vars.nope }}' } }],
		['Statuses', { filters: { status: '={{ [] }}' } }],
		['Statuses', { filters: { status: '={{ ["", " "] }}' } }],
		['Currencies', { filters: { currency: ['EUR', '={{ $vars.nope }}'] } }],
		['Currencies', { filters: { currency: ['={{ "" }}'] } }],
		['Fields to Watch', { event: 'newOrUpdatedTransaction', fieldsToWatch: '={{ $vars.nope }}' }],
		['Fields to Watch', { event: 'newOrUpdatedTransaction', fieldsToWatch: ['status', '={{ $vars.nope }}'] }],
		['Overlap', { options: { overlap: '={{ $vars.nope }}' } }],
		['Max Transactions per Poll', { options: { maxTransactions: '={{ $vars.nope }}' } }],
		['After a Restart', { options: { afterRestart: '={{ $vars.nope }}' } }],
		['Timeout', { options: { timeout: '={{ $vars.nope }}' } }],
	])('rejects %s that returns nothing: %j', async (displayName, parameters) => {
		const org = await organization({ transactions: 1 });
		const trigger = new Trigger({ ...org, parameters });
		await expect(trigger.poll()).rejects.toThrow(`"${displayName}" is an expression that returns nothing`);
		expect(await org.journal()).toEqual([]);
	});

	test.each<INodeParameters>([{ status: [] }, { status: [''] }, { status: '=' }, { status: ['=', 'completed'] }])(
		'takes plainly empty filters %j',
		async (filters) => {
			const org = await organization();
			await expect(new Trigger({ ...org, parameters: { filters } }).poll()).resolves.toEqual([]);
		},
	);

	test('names a Start Date that returns nothing', async () => {
		const org = await organization();
		const trigger = new Trigger({ ...org, parameters: { startFrom: 'date', startDate: '={{ $vars.nope }}' } });
		await expect(trigger.poll()).rejects.toThrow('"Start Date" is empty');
	});
});
