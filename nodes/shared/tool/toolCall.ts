import type { FromAIArgument, IDataObject, IExecuteFunctions, INode, NodeError } from 'n8n-workflow';
import { NodeConnectionTypes, nodeNameToToolName, traverseNodeParameters } from 'n8n-workflow';
import { joined, operationError, sentence } from '../errorText';
import { isObject } from '../isObject';
import { orUndefined } from '../orUndefined';
import type { ItemFunctions } from '../service/connection/connection';
import { runsAsTool } from '../service/context';

type ExecutionFunctions = Pick<
	ItemFunctions,
	'getContext' | 'getExecuteData' | 'getInputData' | 'getNode' | 'getWorkflowDataProxy'
>;

/** A tool's part of n8n's execution data. A retried execution finds it there. */
interface ToolContext {
	/** The last call of an AI Agent 3 that had a value not asked for. */
	rejectedCall?: { id: unknown; value: string };
}

/** The number of failed attempts at a tool call outside the workflow's run, by the arguments of the call. */
const failedAttempts = new WeakMap<IDataObject, number>();

/** @throws NodeOperationError for a tool call that must not run, before anything is sent. */
export function rejectToolCall(functions: ExecutionFunctions): void {
	if (!runsAsTool(functions.getNode())) return;
	rejectDroppedResults(functions);
	rejectValuesOfAnotherCall(functions);
	rejectValuesNotAskedFor(functions);
	rejectValuesOfQuery(functions);
}

/**
 * Decides whether the error of an input item is returned, with Continue On Fail or because the tool's caller would drop it, and
 * counts the failed attempt at a tool call. In a tool, the message of a thrown error also says what to do: an AI Agent 3 and
 * n8n's Agents pass only the message to the model (measured on 2.41.1).
 */
export function settleFailure(
	functions: ExecutionFunctions,
	error: NodeError,
	continuesOnFail: boolean,
): 'return' | 'throw' {
	const node = functions.getNode();
	const toolCall = argumentsOf(functions);
	const count = toolCall === undefined ? 0 : (failedAttempts.get(toolCall) ?? 0) + 1;
	if (toolCall !== undefined) failedAttempts.set(toolCall, count);
	if (continuesOnFail && !dropsResults(functions)) return 'return';
	if (!runsAsTool(node)) return 'throw';
	if (isDropped(functions, node, count)) return 'return';
	const { message, description } = error;
	if (description && !message.includes(description)) error.message = joined(sentence(message), description);
	return 'throw';
}

/**
 * Returns the arguments of a tool call outside the workflow's own run, by an AI Agent 1 or 2 or an MCP client; none for an AI
 * Agent 3. All attempts at a call have one object, and each call has its own (measured on 2.41.1 and 1.123.81).
 */
export function argumentsOf(functions: Pick<ExecutionFunctions, 'getInputData'>): IDataObject | undefined {
	const read = () => itemOf(functions.getInputData(0, NodeConnectionTypes.AiTool))?.json;
	const found = read();
	// Where there are none, n8n makes an empty item for a declarative node, each time another one (read in 2.41.1 and 1.123.81).
	return found === read() ? found : undefined;
}

function itemOf(items: ReturnType<ExecutionFunctions['getInputData']>) {
	return Array.isArray(items) ? items[0] : items;
}

function rejectDroppedResults(functions: ExecutionFunctions): void {
	if (!dropsResults(functions)) return;
	const message = 'n8n drops what this tool returns';
	const description = 'Nothing was sent. Set "On Error" in the settings of this tool to "Continue".';
	// Before 2.25, n8n gives the model the input of a tool that failed, which looks like a success (measured on 1.123.81).
	Object.assign(itemOf(functions.getInputData())?.json ?? {}, { error: joined(sentence(message), description) });
	throw operationError(functions.getNode(), message, { description });
}

/**
 * Whether n8n drops what a tool returns. For an AI Agent 3, with "Continue (using error output)", n8n keeps no item of a node
 * that has no other output (measured on 2.41.1). A model that does not learn of a change may make it again.
 */
export function dropsResults(functions: ExecutionFunctions): boolean {
	const node = functions.getNode();
	return runsAsTool(node) && node.onError === 'continueErrorOutput' && argumentsOf(functions) === undefined;
}

/**
 * Two agents that run at the same time (an AI Agent 2 with a Batch Size above 1, or two AI Agent Tools 2) share one run index, by
 * which `$fromAI` reads the arguments (measured on 2.41.1 and 1.123.81).
 */
function rejectValuesOfAnotherCall(functions: ExecutionFunctions): void {
	const toolCall = argumentsOf(functions) ?? {};
	const isOwn = ([name, value]: [string, unknown]) =>
		JSON.stringify(fromAi(functions, name) ?? null) === JSON.stringify(value ?? null);
	if (Object.entries(toolCall).every(isOwn)) return;
	const message = 'n8n gave this tool call the values of another call';
	const reason =
		'Two agents run at the same time, and n8n mixes up their calls. Set "Batch Size" to 1 under Options of the AI Agent, or use AI Agent Tool 3.';
	// An earlier attempt may have had its own values, and sent them.
	const description = failedAttempts.has(toolCall) ? reason : `Nothing was sent. ${reason}`;
	throw operationError(functions.getNode(), message, { description });
}

/**
 * An expression, even in the credential, could read a value that the tool does not ask for in place of the author's, such as the
 * Base URL. For an AI Agent 3, n8n merges all values of the model into `$json`, over the agent's input item; null and a name that
 * `$fromAI` does not accept are not checked. For n8n's Agents, the values are the `$json` of a tool that asks for nothing. n8n
 * drops other callers' values (measured on 2.41.1), except in queue mode. On 1.123.81 and 2.0.3 (not on 2.8.4), nothing is
 * checked: `$fromAI` also reads the agent's item.
 *
 * In n8n's Retry, `$fromAI` does so on every version (measured on 2.41.1), so the node's context has the call that was rejected.
 */
function rejectValuesNotAskedFor(functions: ExecutionFunctions): void {
	const node = functions.getNode();
	const { json = {}, pairedItem } = itemOf(functions.getInputData()) ?? {};
	const values = argumentsOf(functions) ?? (pairedItem === undefined ? json : undefined);
	const sent = values === undefined ? namesFromModel(functions, json) : Object.keys(values);
	const askedFor = askedForBy(node);
	const extra = sent.find((name) => !askedFor.includes(name));
	if (extra === undefined) return;
	if (values === undefined) contextOf(functions).rejectedCall = { id: json.toolCallId, value: extra };
	const message = `The tool call has a value that this tool does not ask for: "${extra}"`;
	const description = 'Nothing was sent. Call the tool again with only the values that it asks for.';
	throw operationError(node, message, { description });
}

/**
 * `$fromAI` reads the field `query` of the agent's input, such as a Webhook's, before the values of the model: for an AI Agent 3
 * on 1.123.81, and in n8n's Retry on 2.41.1 (both measured).
 */
function rejectValuesOfQuery(functions: ExecutionFunctions): void {
	const node = functions.getNode();
	const { json = {}, pairedItem } = itemOf(functions.getInputData()) ?? {};
	const { query } = json;
	if (argumentsOf(functions) !== undefined || pairedItem === undefined || !isObject(query)) return;
	const isReplaced = (name: string) => {
		const fromQuery = asInQuery(query[name]);
		return fromQuery !== asInQuery(json[name]) && fromQuery === asInQuery(fromAi(functions, name));
	};
	const replaced = askedForBy(node).find(isReplaced);
	if (replaced === undefined) return;
	const description =
		'Nothing was sent. n8n reads "query" in the input of the agent before the values of the model. Put an Edit Fields node before the agent that leaves "query" out.';
	throw operationError(node, `n8n gave this tool call "${replaced}" from "query"`, { description });
}

/** Returns a value as a text: a query has only texts, and n8n converts a value to its type. */
function asInQuery(value: unknown): string | undefined {
	return typeof value === 'string' ? value : JSON.stringify(value);
}

function askedForBy({ parameters }: INode): string[] {
	const askedFor: FromAIArgument[] = [];
	traverseNodeParameters(parameters, askedFor);
	return askedFor.map(({ key }) => key);
}

function contextOf(functions: ExecutionFunctions): ToolContext {
	return functions.getContext('node') as ToolContext;
}

/** Returns the names in a tool call's item that come from the model, not from the agent's input. */
function namesFromModel(functions: ExecutionFunctions, { toolCallId, ...json }: IDataObject): string[] {
	if (toolCallId === undefined) return [];
	if (fromAi(functions, 'toolCallId') === toolCallId) {
		const { rejectedCall } = contextOf(functions);
		return rejectedCall?.id === toolCallId ? [rejectedCall.value] : [];
	}
	const isFromModel = (name: string) => {
		// n8n adds the tool's name as `tool` after a human review.
		if (name === 'tool' && json.tool === nodeNameToToolName(functions.getNode())) return false;
		// The agent's input may have a name that $fromAI rejects, such as "caller".
		return orUndefined(() => fromAi(functions, name)) !== undefined;
	};
	return Object.keys(json).filter(isFromModel);
}

function fromAi(functions: ExecutionFunctions, name: string): unknown {
	const { $fromAI: valueOf } = (functions as IExecuteFunctions).getWorkflowDataProxy(0) as {
		$fromAI?: (name: string) => unknown;
	};
	return valueOf?.(name);
}

// LangChain's AgentExecutor gives the model an empty text (measured on 2.41.1 and 1.123.81; for the trigger read in 2.41.1).
const DROPS_ERRORS = /^@n8n\/n8n-nodes-langchain\.(agent(Tool)?|microsoftAgent365Trigger)$/;

/**
 * Whether the caller would drop the error: an AI Agent 1 or 2, an AI Agent Tool 2, or a Microsoft Agent 365 Trigger. A model may
 * take an empty result for a success, or make the change again. Retry On Fail needs the error while it has attempts left.
 */
function isDropped(functions: ExecutionFunctions, { retryOnFail, maxTries = 3 }: INode, failed: number): boolean {
	if (!DROPS_ERRORS.test(functions.getExecuteData().node.type)) return false;
	// n8n limits the number of attempts to 2 to 5.
	return failed >= (retryOnFail === true ? Math.min(5, Math.max(2, maxTries)) : 1);
}
