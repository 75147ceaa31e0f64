import type { INode, INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { NODES, ownType } from '../../../support/engine/n8nParts.ts';

const LIST = {
	returnAll: false,
	limit: 50,
	conditions: {},
	output: 'raw',
	fields: [],
	fileFormat: 'csv',
	fileOptions: {},
};
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
	tagLead: {
		toolDescription: expect.any(String),
		...{ operation: 'addTag', lead: { __rl: true, mode: 'list', value: '' }, tagId: '' },
	},
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

// Without it the editor marks each value outside its list as not supported.
test('the editor accepts what a list from the service lacks', () => {
	const fields = Object.values(NODES).flatMap(({ description }) => fieldsIn(description.properties));
	const listed = fields.filter(({ typeOptions }) => typeOptions?.loadOptionsMethod !== undefined);
	expect(listed).not.toEqual([]);
	expect(listed.filter(({ allowArbitraryValues }) => allowArbitraryValues !== true)).toEqual([]);
});
