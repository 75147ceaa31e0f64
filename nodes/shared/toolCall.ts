import type { IDataObject, IExecuteFunctions, IExecuteSingleFunctions } from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

type Functions = Pick<IExecuteFunctions | IExecuteSingleFunctions, 'getInputData' | 'getNode' | 'getWorkflowDataProxy'>;

/**
 * The arguments of a tool call that n8n makes outside the workflow's own run: for an AI Agent of version 1 or 2, and for an
 * MCP client. Measured on 2.41.1 and 1.123.81: one object for all tries of a call, and another for each call. An AI Agent
 * of version 3 has the workflow run the node: there this is undefined.
 */
export function argumentsOf(functions: Pick<Functions, 'getInputData'>): IDataObject | undefined {
	const given = functions.getInputData(0, NodeConnectionTypes.AiTool);
	return (Array.isArray(given) ? given[0] : given)?.json;
}

/**
 * Refuses a tool call to which n8n gives the values of another. Measured on 2.41.1 and 1.123.81: two agents at work at once
 * (an AI Agent 2 with a Batch Size above 1, or two AI Agent Tools 2) have one run index, and `$fromAI` goes by that.
 * @throws NodeOperationError, before anything is sent.
 */
export function refuseValuesOfAnotherCall(functions: Functions): void {
	const own = Object.entries(argumentsOf(functions) ?? {});
	if (own.every(([name, value]) => JSON.stringify(fromAi(functions, name)) === JSON.stringify(value))) return;
	throw new NodeOperationError(functions.getNode(), 'n8n gave this call of the tool the values of another call', {
		description:
			'Nothing was sent. Two agents are at work at once, and n8n mixes up their calls. Set "Batch Size" to 1 under Options of the AI Agent, or use version 3 of it.',
	});
}

function fromAi(functions: Functions, name: string): unknown {
	const { $fromAI: valueOf } = (functions as IExecuteFunctions).getWorkflowDataProxy(0) as {
		$fromAI?: (name: string) => unknown;
	};
	return valueOf?.(name);
}
