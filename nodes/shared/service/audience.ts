import type { INode } from 'n8n-workflow';
import type { ServiceFunctions } from './connection/connection';

/** Who handles an error: the person at a failed execution, the next node, or the agent that called a tool. */
export type Audience = 'person' | 'workflow' | 'agent';

export function audienceOf(functions: ServiceFunctions, node: INode): Audience {
	if (runsAsTool(node)) return 'agent';
	return 'continueOnFail' in functions && functions.continueOnFail() ? 'workflow' : 'person';
}

/**
 * Whether a model or an MCP client called the node. n8n appends "Tool" to the type of a node that runs as a tool, whatever
 * calls it: AI Agent, AI Agent Tool, MCP Server Trigger, n8n's Agents, Execute Step (measured on 2.41.1 and
 * 1.123.81). In a sub-workflow that is a tool, the nodes have their ordinary types.
 */
export function runsAsTool({ type }: Pick<INode, 'type'>): boolean {
	return type.endsWith('Tool');
}
