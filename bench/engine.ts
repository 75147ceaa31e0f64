// The built nodes in n8n's engine, for benchmarks in their own process.
import { createRequire } from 'node:module';
import type * as N8nCore from 'n8n-core';
import type * as N8nWorkflow from 'n8n-workflow';
import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	INodeType,
	IPollFunctions,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';

type Built = Record<string, new () => unknown>;

// n8n's packages do not load as ES modules.
const require = createRequire(import.meta.url);
require('reflect-metadata');
export const core = require('n8n-core') as typeof N8nCore;
export const n8n = require('n8n-workflow') as typeof N8nWorkflow;

/** A built node. @param name its class */
export function builtNode(name: string): INodeType {
	const { [name]: Class } = require(`../dist/nodes/${name}/${name}.node.js`) as Built;
	return new (Class as new () => INodeType)();
}

const { LeadRevenueApi } = require('../dist/credentials/LeadRevenueApi.credentials.js') as Built;
const credentialType = new (LeadRevenueApi as new () => ICredentialType)();

/** What n8n passes to an execution besides the workflow: here little more than one credential. */
export function additionalDataWith(credential: { baseUrl: string; apiKey: string }): IWorkflowExecuteAdditionalData {
	return {
		executionId: '1',
		currentNodeExecutionIndex: 0,
		variables: {},
		webhookWaitingBaseUrl: 'http://localhost/webhook-waiting',
		formWaitingBaseUrl: 'http://localhost/form-waiting',
		hooks: new core.ExecutionLifecycleHooks('trigger', '1', {
			id: 'bench',
			name: 'Bench',
			nodes: [],
			connections: {},
		} as never),
		credentialsHelper: {
			getParentTypes: () => [],
			isCredentialUsableByNode: () => true,
			getDecrypted: async () => credential,
			preAuthentication: async () => undefined,
			authenticate: async (data: ICredentialDataDecryptedObject, _type: string, options: IHttpRequestOptions) =>
				await (credentialType.authenticate as Extract<IAuthenticate, (...args: never[]) => unknown>)(data, options),
		},
	} as unknown as IWorkflowExecuteAdditionalData;
}

/** A workflow of one trigger, as n8n loads it with its saved static data. */
export function workflowOf(id: string, node: INode, nodeType: INodeType, staticData: IDataObject): Workflow {
	const nodeTypes = { getByName: () => nodeType, getByNameAndVersion: () => nodeType, getKnownTypes: () => ({}) };
	return new n8n.Workflow({ id, nodes: [node], connections: {}, active: true, nodeTypes, staticData });
}

/** n8n's functions for the polls of a trigger under its default static data; `started` gets the items of each execution. */
export function pollFunctions(
	workflow: Workflow,
	{ name }: INode,
	additionalData: IWorkflowExecuteAdditionalData,
	started: (items: INodeExecutionData[]) => void,
): IPollFunctions {
	const emit: IPollFunctions['__emit'] = (data, _response, done) => {
		started(data[0] ?? []);
		done?.resolve(undefined as never);
	};
	const node = workflow.getNode(name) as INode;
	return new core.PollContext(workflow, node, additionalData, 'trigger', 'activate', emit);
}

/** What the Transaction Trigger has saved. */
export function stateOf({ staticData }: Workflow, { id }: INode): IDataObject {
	return (staticData.global as IDataObject)[`leadRevenueTransactionTrigger:${id}`] as IDataObject;
}
