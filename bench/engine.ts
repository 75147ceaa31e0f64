// The built nodes in n8n's engine, for benchmarks in their own process.
import { createRequire } from 'node:module';
import type * as N8nCore from 'n8n-core';
import type * as N8nWorkflow from 'n8n-workflow';
import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeType,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

type Built = Record<string, new () => unknown>;

// n8n's packages do not load as ES modules.
const require = createRequire(import.meta.url);
require('reflect-metadata');
export const core = require('n8n-core') as typeof N8nCore;
export const n8n = require('n8n-workflow') as typeof N8nWorkflow;

/** Returns a built node. @param name its class. */
export function builtNode(name: string): INodeType {
	const { [name]: Class } = require(`../dist/nodes/${name}/${name}.node.js`) as Built;
	return new (Class as new () => INodeType)();
}

const { LeadRevenueApi } = require('../dist/credentials/LeadRevenueApi.credentials.js') as Built;
const credentialType = new (LeadRevenueApi as new () => ICredentialType)();

/**
 * Returns what n8n passes to an execution besides the workflow: here little more than one credential. `requested` is called
 * with each request.
 */
export function additionalDataWith(
	credential: { baseUrl: string; apiKey: string },
	requested = () => {},
): IWorkflowExecuteAdditionalData {
	const workflow = { id: 'bench', name: 'Bench', nodes: [], connections: {} };
	return {
		executionId: '1',
		currentNodeExecutionIndex: 0,
		variables: {},
		webhookWaitingBaseUrl: 'http://localhost/webhook-waiting',
		formWaitingBaseUrl: 'http://localhost/form-waiting',
		hooks: new core.ExecutionLifecycleHooks('trigger', '1', workflow as never),
		credentialsHelper: {
			getParentTypes: () => [],
			isCredentialUsableByNode: () => true,
			getDecrypted: async () => credential,
			preAuthentication: async () => undefined,
			authenticate: async (data: ICredentialDataDecryptedObject, _type: string, options: IHttpRequestOptions) => {
				requested();
				return await (credentialType.authenticate as Extract<IAuthenticate, (...args: never[]) => unknown>)(
					data,
					options,
				);
			},
		},
	} as unknown as IWorkflowExecuteAdditionalData;
}
