import type { IDataObject, IExecuteFunctions, IExecuteSingleFunctions } from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

type Functions = Pick<IExecuteFunctions | IExecuteSingleFunctions, 'getInputData' | 'getNode' | 'getWorkflowDataProxy'>;

/**
 * The arguments of a tool call that n8n makes outside the workflow's own run: for an AI Agent of version 1 or 2, and for an
 * MCP client. Measured on 2.41.1 and 1.123.81: all attempts at a call have the same object, and each call has another. An AI
 * Agent of version 3 has the workflow run the node: there this is undefined.
 */
export function argumentsOf(functions: Pick<Functions, 'getInputData'>): IDataObject | undefined {
	const given = functions.getInputData(0, NodeConnectionTypes.AiTool);
	return (Array.isArray(given) ? given[0] : given)?.json;
}

/**
 * Rejects a tool call whose parameters have the values of another call. Measured on 2.41.1 and 1.123.81: two agents that run
 * at the same time (an AI Agent 2 with a Batch Size above 1, or two AI Agent Tools 2) share one run index, and `$fromAI`
 * reads the arguments by run index.
 * @throws NodeOperationError, before anything is sent.
 */
export function refuseValuesOfAnotherCall(functions: Functions): void {
	const own = Object.entries(argumentsOf(functions) ?? {});
	if (own.every(([name, value]) => JSON.stringify(fromAi(functions, name)) === JSON.stringify(value))) return;
	throw new NodeOperationError(functions.getNode(), 'n8n gave this tool call the values of another call', {
		description:
			'Nothing was sent. Two agents run at the same time, and n8n mixes up their calls. Set "Batch Size" to 1 under Options of the AI Agent, or use version 3 of that node.',
	});
}

function fromAi(functions: Functions, name: string): unknown {
	const { $fromAI: valueOf } = (functions as IExecuteFunctions).getWorkflowDataProxy(0) as {
		$fromAI?: (name: string) => unknown;
	};
	return valueOf?.(name);
}
