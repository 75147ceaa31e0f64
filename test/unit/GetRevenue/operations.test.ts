import type { INode, INodeTypes } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { GetRevenue } from '../../../nodes/GetRevenue/GetRevenue.node.ts';
import { OPERATIONS } from '../../../nodes/GetRevenue/operations.ts';

test('the node shows the chosen operation below its name', () => {
	const type = new GetRevenue();
	for (const { name, value } of OPERATIONS) {
		const node = { name: 'Get Revenue', type: 'getRevenue', typeVersion: 1, parameters: { operation: value } };
		const nodeTypes = { getByNameAndVersion: () => type } as unknown as INodeTypes;
		const workflow = new Workflow({ nodes: [node as unknown as INode], connections: {}, active: false, nodeTypes });
		const subtitle = type.description.subtitle as string;
		const shown = workflow.expression.getSimpleParameterValue(node as unknown as INode, subtitle, 'manual', {});
		expect(shown).toBe(name.replace(/^Get (Many )?/, '').toLowerCase());
	}
});

test.each([
	['getManualRecords', 'Get Many Manual Records', 'Get many manual revenue records'],
	['getTransactions', 'Get Many Transactions', 'Get many transactions'],
	['getSummary', 'Get Summary', 'Get revenue summary'],
])('workflows and users know %s as it is', (value, name, action) => {
	expect(OPERATIONS.find((operation) => operation.value === value)).toMatchObject({ name, action });
});

test('the operations come in the order of their names', () => {
	const names = OPERATIONS.map(({ name }) => name);
	expect(names).toEqual(names.toSorted());
});
