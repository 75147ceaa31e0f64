import { LoadOptionsContext, WorkflowExecute } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	ILoadOptionsFunctions,
	INode,
	INodeExecutionData,
	INodeListSearchResult,
	INodeParameters,
	INodePropertyCollection,
	INodePropertyOptions,
	IRun,
	IRunExecutionData,
	NodeApiError,
	NodeExecutionHint,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { additionalDataFor, nodeCredentials, NODES, nodeTypes, ownType } from './n8nParts.ts';
import { startExecution } from './versions.ts';

import 'reflect-metadata';

/** A stored credential; runs that get the same object share it, as they share n8n's database. */
export type Credential = ICredentialDataDecryptedObject & { baseUrl: string };

export interface NodeRun {
	/** The node's name below `n8n-nodes-lead-revenue.`. */
	type: string;
	parameters: INodeParameters;
	/** Input items; one empty item unless given. */
	input?: IDataObject[];
	credential: Credential;
	/** Credentials with one id share lanes, as they do in n8n. */
	credentialId?: string;
	/** The node's own Settings, as a user sets them: On Error, and Retry On Fail. */
	onError?: INode['onError'];
	settings?: Partial<Pick<INode, 'retryOnFail' | 'maxTries' | 'waitBetweenTries'>>;
	timezone?: string;
	/** A new one unless given, as in n8n. */
	executionId?: string;
	workflowId?: string;
	nodeId?: string;
	/** "Node" unless given. */
	nodeName?: string;
	/** Runs the node twice in one execution, as a loop does. */
	twice?: boolean;
	/** Ends the execution, as Stop in the editor does. */
	cancelAfter?: Promise<unknown>;
	/** Continues from a failed execution's data, as the Retry button does, instead of starting over. */
	retryOf?: IRun;
	/** Starts over with what n8n stores when an execution begins, as the Retry button does after a crash. */
	retryOfCrashed?: IRun;
}

export interface NodeOutcome {
	/** The items of the first output. */
	items: INodeExecutionData[];
	/** All outputs; the last is the error output when the node has one. */
	outputs: INodeExecutionData[][];
	hints: NodeExecutionHint[];
	error?: NodeApiError;
	run: IRun;
}

/**
 * Returns how n8n changes a failed execution's stored data before it retries it with the current workflow (read in its
 * execution service, 2.41.1).
 */
function dataForRetry({ data }: IRun, workflow: Workflow): IRunExecutionData {
	const copy = structuredClone(JSON.parse(JSON.stringify(data))) as IRunExecutionData;
	delete copy.resultData.error;
	copy.resultData.runData[copy.resultData.lastNodeExecuted as string]?.pop();
	for (const waiting of copy.executionData?.nodeExecutionStack ?? []) {
		waiting.node = workflow.getNode(waiting.node.name) as INode;
	}
	return copy;
}

/** Returns all that a crash leaves of an execution: where it began, and the token that n8n 2.x passes to a retry. */
function dataAfterCrash({ data }: IRun, start: INode, items: INodeExecutionData[]): IRunExecutionData {
	return {
		version: 1,
		startData: {},
		resultData: { runData: {}, pinData: { [start.name]: items } },
		executionData: {
			contextData: {},
			nodeExecutionStack: [{ node: start, data: { main: [[{ json: {} }]] }, source: null }],
			metadata: {},
			waitingExecution: {},
			waitingExecutionSource: {},
		},
		...('resumeToken' in data && { resumeToken: data.resumeToken }),
	} as unknown as IRunExecutionData;
}

let credentialCount = 0;
let executionCount = 0;

/** Runs one node of this package in n8n's real engine, fed by pinned items. */
export async function runNode(options: NodeRun): Promise<NodeOutcome> {
	const { type, parameters, input = [{}], settings = {}, timezone = 'Europe/Berlin', nodeName = 'Node' } = options;
	const credentialId = options.credentialId ?? `credential-${++credentialCount}`;
	const node: INode = {
		id: options.nodeId ?? 'node-under-test',
		name: nodeName,
		type: ownType(type),
		typeVersion: 1,
		position: [200, 0],
		parameters,
		credentials: nodeCredentials(parameters, credentialId),
		...(options.onError !== undefined && { onError: options.onError }),
		...settings,
	};
	const toNode = { node: nodeName, type: 'main' as const, index: 0 };
	const workflow = new Workflow({
		id: options.workflowId ?? 'workflow-under-test',
		nodes: [
			{ id: 'input', name: 'Input', type: 'test.input', typeVersion: 1, position: [0, 0], parameters: {} },
			node,
			{ id: 'again', name: 'Again', type: 'test.again', typeVersion: 1, position: [400, 0], parameters: {} },
		],
		connections: {
			Input: { main: [[toNode]] },
			...(options.twice === true && {
				[nodeName]: { main: [[{ ...toNode, node: 'Again' }]] },
				Again: { main: [[toNode]] },
			}),
		},
		active: false,
		nodeTypes,
		settings: { timezone, executionOrder: 'v1' },
	});
	const executionId = options.executionId ?? `execution-${++executionCount}`;
	const additionalData = additionalDataFor(options.credential, workflow.id, executionId);

	const startNode = workflow.getNode('Input') as INode;
	const items = input.map((json) => ({ json }));
	const { retryOf, retryOfCrashed } = options;
	const stored =
		retryOfCrashed === undefined
			? retryOf && dataForRetry(retryOf, workflow)
			: dataAfterCrash(retryOfCrashed, startNode, items);
	const running =
		stored === undefined
			? startExecution(new WorkflowExecute(additionalData, 'manual'), {
					workflow,
					startNode,
					pinData: { Input: items },
				})
			: new WorkflowExecute(additionalData, 'retry', stored).processRunExecutionData(workflow);
	if (options.cancelAfter !== undefined) void options.cancelAfter.then(() => running.cancel());
	const run = await running;
	const task = run.data.resultData.runData[nodeName]?.[0];
	const outputs = (task?.data?.main ?? []).map((items) => items ?? []);
	const error = (task?.error ?? run.data.resultData.error) as NodeApiError | undefined;
	return { items: outputs[0] ?? [], outputs, hints: task?.hints ?? [], run, ...(error === undefined ? {} : { error }) };
}

/** Runs a node with the credential of an organization. */
export async function runFor(
	{ credential }: { credential: Credential },
	type: string,
	parameters: INodeParameters,
	more: Partial<NodeRun> = {},
): Promise<NodeOutcome> {
	return await runNode({ type, parameters, credential, ...more });
}

/** Returns what came of a node, which has to succeed. */
export async function succeeded<T extends { error?: NodeApiError | undefined }>(running: Promise<T>): Promise<T> {
	const outcome = await running;
	expect(outcome.error).toBeUndefined();
	return outcome;
}

/** Returns what asks for lists in the editor, where there is no execution. */
function editorContext(type: string, credential: NodeRun['credential'], parameters: INodeParameters) {
	const node: INode = {
		id: 'node',
		name: 'Node',
		type: ownType(type),
		typeVersion: 1,
		position: [0, 0],
		parameters,
		credentials: nodeCredentials(parameters, `credential-${++credentialCount}`),
	};
	const workflow = new Workflow({ id: 'w', nodes: [node], connections: {}, active: false, nodeTypes });
	return new LoadOptionsContext(workflow, node, additionalDataFor(credential, 'w', '1'), '') as ILoadOptionsFunctions;
}

/** Asks for a page of the lead picker as the editor does. */
export async function searchLeads(
	credential: NodeRun['credential'],
	{ paginationToken, parameters = {} }: { paginationToken?: string | undefined; parameters?: INodeParameters } = {},
): Promise<INodeListSearchResult> {
	const { searchLeads: search } = NODES[ownType('tagLead')]?.methods?.listSearch ?? {};
	return await search!.call(editorContext('tagLead', credential, parameters), undefined, paginationToken);
}

/** Asks for the values of the trigger's filters as the editor does: for all of them at once. */
export async function filterValues(
	filters: string[],
	credential: NodeRun['credential'],
	parameters: INodeParameters = {},
): Promise<INodePropertyOptions[][]> {
	const context = editorContext('transactionTrigger', credential, parameters);
	const { loadOptions } = NODES[ownType('transactionTrigger')]?.methods ?? {};
	return await Promise.all(
		filters.map(async (filter) => (await loadOptions?.[filter]?.call(context)) as INodePropertyOptions[]),
	);
}

/** Asks for the fields of an operation's records as the editor does, for Selected Fields or for conditions. */
export async function fieldsOf(
	type: string,
	operation: string,
	credential: NodeRun['credential'],
	parameter: 'fields' | 'conditions' = 'fields',
): Promise<INodePropertyOptions[]> {
	const context = editorContext(type, credential, { operation, output: 'selectedFields' });
	const { description, methods } = NODES[ownType(type)] ?? {};
	const field = description?.properties.find(({ name }) => name === parameter);
	const [rows] = (parameter === 'conditions' ? field?.options : []) as INodePropertyCollection[];
	const { typeOptions } = rows?.values.find(({ name }) => name === 'field') ?? field ?? {};
	return (await methods?.loadOptions?.[typeOptions?.loadOptionsMethod as string]?.call(context)) ?? [];
}
