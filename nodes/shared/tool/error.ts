import type { IDataObject, INode, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { joined, sentence } from '../errorText';
import { runsAsTool } from '../service/context';
import type { CalledFunctions } from './call';
import { argumentsOf } from './call';

/**
 * Puts what to do into the message of an error of a tool call: an AI Agent 3 and n8n's Agents give the model nothing else
 * (measured on 2.41.1).
 */
export function tellCaller<E extends NodeApiError | NodeOperationError>(functions: CalledFunctions, error: E): E {
	const { message, description } = error;
	if (runsAsTool(functions.getNode()) && description && !message.includes(description)) {
		error.message = joined(sentence(message), description);
	}
	return error;
}

const failures = new WeakMap<IDataObject, number>();

/** Counts a failure of a tool call, for `isDropped`. */
export function countFailure(functions: CalledFunctions): void {
	const call = argumentsOf(functions);
	if (call !== undefined) failures.set(call, (failures.get(call) ?? 0) + 1);
}

/**
 * Whether the caller would drop an error that is thrown now, so that the node has to return it. Count the failure before.
 * An AI Agent 1 or 2 and an AI Agent Tool 2 give the model an empty result for it (LangChain's AgentExecutor; measured on
 * 2.41.1 and 1.123.81), and a model may take that for a success, or make the change again. While Retry On Fail has tries
 * left, it needs the error.
 */
export function isDropped(functions: CalledFunctions): boolean {
	const node = functions.getNode();
	const call = runsAsTool(node) ? argumentsOf(functions) : undefined;
	if (call === undefined || !/^@n8n\/n8n-nodes-langchain\.agent(Tool)?$/.test(functions.getExecuteData().node.type))
		return false;
	return isLastTry(call, node);
}

/** Whether n8n retries the call no more. */
function isLastTry(call: IDataObject, { retryOnFail, maxTries = 3 }: INode): boolean {
	// How n8n counts them.
	const tries = retryOnFail === true ? Math.min(5, Math.max(2, maxTries)) : 1;
	return (failures.get(call) ?? 0) >= tries;
}
