import type { INodeProperties } from 'n8n-workflow';
import { expressionAt } from '../shared/parameters/expressions';
import type { Place } from '../shared/parameters/read';
import { parameterError } from '../shared/parameters/read';
import { runsAsTool } from '../shared/service/context';

/** What it takes for an agent to decide on Active. n8n offers the agent every parameter, with one click or by its builders. */
export const agentMayActivateField: INodeProperties = {
	displayName: 'Agent May Activate',
	name: 'agentMayActivate',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	displayOptions: { show: { '@tool': [true] } },
	description:
		'Whether an expression, and so the agent, may turn on Active. An active automation replies to real people.',
	builderHint: { propertyHint: 'Leave it off unless the user asks for an agent that activates automations.' },
};

/**
 * Rejects an automation that is active by an expression in a tool, unless the author permits it: what an expression returns
 * may be the agent's choice.
 * @throws NodeOperationError, before anything is sent.
 */
export function rejectActiveByAgent(place: Place): void {
	const { node } = place;
	if (!runsAsTool(node) || expressionAt(place, 'isActive') === undefined) return;
	if (node.parameters.agentMayActivate === true) return;
	throw parameterError(
		place,
		'Active',
		'is not for the agent to turn on',
		'Nothing was sent. Create a draft, with Active off. Only the person who built this tool can permit more, with "Agent May Activate".',
	);
}
