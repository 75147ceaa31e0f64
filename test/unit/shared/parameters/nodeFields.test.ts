import type { INode, INodeParameters, INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { NODES, ownType } from '../../../support/engine/n8nParts.ts';

const FILE = { fileFormat: 'csv', fileOptions: {} };
const LIST = { returnAll: false, limit: 50, conditions: {}, output: 'raw', fields: [], ...FILE };
const NO_LEAD = { __rl: true, mode: 'list', value: '' };
const TRIGGER = { fieldsToWatch: [], startFrom: 'now', startDate: '', filters: {} };

/** What the nodes do for what a saved workflow lacks. n8n saves no value that is the default. */
const DEFAULTS: Record<string, object> = {
	createKeywordAutomation: {
		toolDescription: expect.any(String),
		...{ operation: 'create', name: '', keywords: [''], commentType: 'ANY_POST', otherCommentType: '', replies: [''] },
		...{ isActive: false, agentMayActivate: false, activeNotice: '' },
	},
	getRevenue: { operation: 'getSummary', ...LIST, filters: {}, requestOptions: {} },
	listLeads: { toolDescription: expect.any(String), operation: 'getMany', ...LIST },
	manualRecordTrigger: { event: 'newManualRecord', ...TRIGGER },
	tagLead: { toolDescription: expect.any(String), operation: 'addTag', lead: NO_LEAD, tagId: '' },
	transactionTrigger: { event: 'newTransaction', ...TRIGGER },
};

test.each(Object.entries(DEFAULTS))('a saved workflow means the same after an update: %s', (name, defaults) => {
	const { description } = NODES[ownType(name)]!;
	const node = { name: 'Node', typeVersion: 1, parameters: {} } as INode;
	const read = NodeHelpers.getNodeParameters(description.properties, {}, true, true, node, description);
	expect(read).toEqual({ authentication: 'apiKey', options: {}, ...defaults });
});

function fieldsIn(fields: ReadonlyArray<INodeProperties | INodePropertyCollection>): INodeProperties[] {
	return fields.flatMap((field) => {
		if ('values' in field) return fieldsIn(field.values);
		const inside = field.type.endsWith('ollection') ? (field.options as INodeProperties[]) : [];
		return [field, ...fieldsIn(inside)];
	});
}

const ALL = Object.values(NODES).flatMap(({ description }) => fieldsIn(description.properties));

function namesOf(holds: (field: INodeProperties) => boolean | undefined): string[] {
	return [...new Set(ALL.filter(holds).map(({ name }) => name))].toSorted();
}

test('the editor demands a value of these fields, takes several, and takes no expression', () => {
	const demanded = ['keywords', 'lead', 'name', 'replies', 'startDate', 'tagId', 'toolDescription'];
	expect(namesOf(({ required }) => required)).toEqual(demanded);
	expect(namesOf(({ typeOptions }) => typeOptions?.multipleValues)).toEqual(['conditions', 'keywords', 'replies']);
	const fixed = ['allowUnauthorizedCerts', 'authentication', 'condition', 'event', 'operation', 'startFrom'];
	const agents = ['agentMayActivate', 'agentMayChooseFields'];
	expect(namesOf(({ noDataExpression }) => noDataExpression)).toEqual([...agents, ...fixed]);
});

/** Returns the fields that the editor shows, by their names for the user. */
function shown(type: string, parameters: INodeParameters): string[] {
	const { description: own } = NODES[ownType(type.replace('Tool', ''))]!;
	const description = { ...own, name: type };
	const node = { name: 'Node', typeVersion: 1, parameters } as INode;
	const defaults = NodeHelpers.getNodeParameters(own.properties, parameters, true, true, node, description);
	const values = { ...defaults, ...parameters };
	const isShown = (field: INodeProperties) => NodeHelpers.displayParameter(values, field, node, description, values);
	const fields = fieldsIn(own.properties.filter(isShown));
	return fields.filter(isShown).map(({ displayName }) => displayName);
}

const ACTIVE_NOTICE = 'Every run creates an automation that replies to real people at once';
const CONDITION_FIELDS = ['Only Records That Match', 'Field', 'Condition'];
const LIST_FIELDS = ['Return All', 'Limit', ...CONDITION_FIELDS, 'Output', 'Updated Since'];
const FILE_FIELDS = ['File Format', 'File Options', 'File Name', 'Keep Formulas', 'Put Output File in Field'];

test.each<[string, INodeParameters, string[], string[]?]>([
	['createKeywordAutomation', { commentType: 'OTHER' }, ['Other Comment Type']],
	['createKeywordAutomation', { isActive: true }, [ACTIVE_NOTICE]],
	['createKeywordAutomationTool', {}, ['Description', 'Agent May Activate']],
	['getRevenue', { operation: 'getTransactions' }, LIST_FIELDS, ['Member ID']],
	['getRevenue', { operation: 'getManualRecords' }, [...LIST_FIELDS, 'Payment Type', 'Status'], ['Member ID']],
	['getRevenueTool', {}, ['Max Records to Read', 'Agent May Choose Fields']],
	['listLeads', { returnAll: true }, [], ['Limit']],
	['listLeads', { condition: 'gt' }, ['Value']],
	['listLeads', { condition: 'after' }, ['Date']],
	['listLeads', { output: 'selectedFields' }, ['Fields']],
	['listLeads', { output: 'file' }, FILE_FIELDS],
	['listLeads', { output: 'file', fileFormat: 'json' }, FILE_FIELDS.filter((name) => name !== 'Keep Formulas')],
	['listLeadsTool', {}, ['Description', 'Max Records to Read', 'Agent May Choose Fields']],
	['tagLeadTool', {}, ['Description']],
	['transactionTrigger', { event: 'newOrUpdatedTransaction' }, ['Fields to Watch']],
	['transactionTrigger', { startFrom: 'date' }, ['Start Date']],
])('the editor shows of %s with %j, beyond what a new node shows: %j', (type, parameters, more, less = []) => {
	const [ofNew, now] = [shown(type.replace('Tool', ''), {}), shown(type, parameters)];
	expect(now.filter((name) => !ofNew.includes(name)).toSorted()).toEqual(more.toSorted());
	expect(ofNew.filter((name) => !now.includes(name))).toEqual(less);
});

// Where the user switches the operation, n8n's editor empties a collection that depends on "operation" (read in 2.41.1).
test('a collection keeps what is in it when the operation changes', () => {
	const collections = ALL.filter(({ type }) => type.endsWith('ollection'));
	expect(collections.filter(({ displayOptions }) => displayOptions?.show?.operation !== undefined)).toEqual([]);
});

// Without it the editor marks each value outside its list as not supported.
test('the editor accepts what a list from the service lacks', () => {
	const listed = ALL.filter(({ typeOptions }) => typeOptions?.loadOptionsMethod !== undefined);
	expect(listed).not.toEqual([]);
	expect(listed.filter(({ allowArbitraryValues }) => allowArbitraryValues !== true)).toEqual([]);
});
