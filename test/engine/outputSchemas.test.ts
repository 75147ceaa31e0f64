import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { OPERATIONS } from '../../nodes/GetRevenue/operations/index.ts';
import { PACKAGE } from '../../scripts/lib/repository.ts';
import { NODES } from '../support/engine/n8nParts.ts';
import { runFor, succeeded } from '../support/engine/runNode.ts';
import { ALL_RECORDS, Trigger } from '../support/engine/trigger.ts';
import { draft, leadsOf, tag } from '../support/engine/writes.ts';
import type { TestOrganization } from '../support/service.ts';
import { organization } from '../support/service.ts';
import { MANUAL_RECORDS } from '../support/watched.ts';

interface Schema {
	type: string;
	properties?: Record<string, Schema>;
	items?: Schema;
}

const NODES_FOLDER = path.join(__dirname, '../../nodes');

function schemaOf(output: string): Schema {
	const file = path.join(NODES_FOLDER, output.replace(/^\w+/, '$&/__schema__/v1.0.0') + '.json');
	return JSON.parse(readFileSync(file, 'utf8')) as Schema;
}

/** Returns the fields of a schema with their types, such as `metrics.by_product[].amount: integer`. */
function described({ type, properties, items }: Schema, at = ''): string[] {
	if (type === 'object') {
		return Object.entries(properties!).flatMap(([name, field]) => described(field, `${at}.${name}`));
	}
	return type === 'array' ? described(items!, `${at}[]`) : [`${at}: ${type}`];
}

/** Returns the fields of a value in the same form. */
function present(value: unknown, at = ''): string[] {
	if (Array.isArray(value)) return value.flatMap((entry) => present(entry, `${at}[]`));
	if (typeof value === 'object' && value !== null) {
		return Object.entries(value).flatMap(([name, field]) => present(field, `${at}.${name}`));
	}
	return [`${at}: ${Number.isInteger(value) ? 'integer' : typeof value}`];
}

const allPresent = (items: IDataObject[]) => [...new Set(items.flatMap((item) => present(item)))];

async function run(org: TestOrganization, type: string, parameters: INodeParameters): Promise<IDataObject[]> {
	const { items } = await succeeded(runFor(org, type, parameters));
	return items.map(({ json }) => json);
}

/** A test event has five records, too few to have each field. */
async function allRecords(org: TestOrganization): Promise<IDataObject[]> {
	return (await new Trigger({ ...org, watched: MANUAL_RECORDS, parameters: ALL_RECORDS }).drain()).flat();
}

const OUTPUTS: Record<string, (org: TestOrganization) => Promise<IDataObject[]>> = {
	...Object.fromEntries(
		OPERATIONS.map(({ value: operation }) => [
			`GetRevenue/${operation}`,
			async (org: TestOrganization) => await run(org, 'getRevenue', { operation }),
		]),
	),
	'TagLead/addTag': async (org) => await run(org, 'tagLead', tag(org, (await leadsOf(org))[0]!)),
	'CreateKeywordAutomation/create': async (org) => await run(org, 'createKeywordAutomation', draft),
	ManualRecordTrigger: async (org) => await allRecords(org),
	TransactionTrigger: async (org) => await new Trigger({ credential: org.credential }).fetchTestEvent(),
};

describe('the output schemas', () => {
	test.each(Object.entries(OUTPUTS))('%s has the fields of real items, and no others', async (output, itemsOf) => {
		const switches = { 'tag-response': '204' } as const;
		const org = await organization({ leads: 1, transactions: 20, manual_records: 40, switches });
		expect(described(schemaOf(output)).sort()).toEqual(allPresent(await itemsOf(org)).sort());
	});

	test('each node or operation has one, except those of leads, whose fields are not documented', () => {
		const operations = Object.entries(NODES)
			.filter(([type]) => type.startsWith(PACKAGE.name))
			.flatMap(([, { constructor, description }]) => {
				const operation = description.properties.find(({ name }) => name === 'operation');
				if (operation === undefined) return [constructor.name];
				return operation.options!.map((option) => `${constructor.name}/${'value' in option ? option.value : ''}`);
			});
		// n8n looks for the files of exactly this version.
		for (const { description } of Object.values(NODES)) expect(description.version).toBe(1);
		expect(operations.sort()).toEqual([...Object.keys(OUTPUTS), 'ListLeads/getMany'].sort());
	});
});
