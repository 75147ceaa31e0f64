import 'reflect-metadata';
import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialType,
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypes,
	IRun,
	IWorkflowExecuteAdditionalData,
	NodeApiError,
} from 'n8n-workflow';
import { ICredentialsHelper, Workflow } from 'n8n-workflow';
import { LeadRevenueApi } from '../../credentials/LeadRevenueApi.credentials';
import { GetRevenue } from '../../nodes/GetRevenue/GetRevenue.node';
import { ListLeads } from '../../nodes/ListLeads/ListLeads.node';

const PACKAGE = 'n8n-nodes-lead-revenue';

/** Stands where a workflow's data comes from; what it puts out is pinned, as a user pins data in the editor. */
class Input implements INodeType {
	description = {
		displayName: 'Input',
		name: 'input',
		group: ['trigger' as const],
		version: 1,
		description: 'Puts out pinned items',
		defaults: { name: 'Input' },
		inputs: [],
		outputs: ['main' as const],
		properties: [],
	};

	async execute(): Promise<INodeExecutionData[][]> {
		return [[]];
	}
}

const NODES: Record<string, INodeType> = {
	'test.input': new Input(),
	[`${PACKAGE}.getRevenue`]: new GetRevenue(),
	[`${PACKAGE}.listLeads`]: new ListLeads(),
};

const nodeTypes: INodeTypes = {
	getByName: (type) => NODES[type] as INodeType,
	getByNameAndVersion: (type) => NODES[type] as INodeType,
	getKnownTypes: () => ({}),
};

const CREDENTIAL_TYPES: Record<string, ICredentialType> = { leadRevenueApi: new LeadRevenueApi() };

/** Does with a credential what n8n does between its database and the request, without the database. */
class CredentialsInMemory extends ICredentialsHelper {
	constructor(private readonly data: ICredentialDataDecryptedObject) {
		super();
	}

	getParentTypes(name: string): string[] {
		return CREDENTIAL_TYPES[name]?.extends ?? [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		requestOptions: IHttpRequestOptions,
		workflow: Workflow,
		node: INode,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = CREDENTIAL_TYPES[typeName] as ICredentialType;
		if (authenticate === undefined || typeof authenticate === 'function') throw new Error('expected generic authentication');
		const resolve = (text: string) =>
			workflow.expression.getSimpleParameterValue(node, text, 'internal', { $credentials: credentials }, undefined, '') as string;
		for (const [name, value] of Object.entries((authenticate.properties as { headers: Record<string, string> }).headers)) {
			requestOptions.headers = { ...requestOptions.headers, [resolve(name)]: resolve(value) };
		}
		return requestOptions;
	}

	async preAuthentication(): Promise<undefined> {
		return undefined;
	}

	async runPreAuthentication(): Promise<undefined> {
		return undefined;
	}

	async getCredentials(): Promise<ICredentials> {
		throw new Error('no node asks for an encrypted credential');
	}

	async getDecrypted(): Promise<ICredentialDataDecryptedObject> {
		return { ...this.data };
	}

	async updateCredentials(): Promise<void> {}

	async updateCredentialsOauthTokenData(): Promise<void> {}

	getCredentialsProperties() {
		return [];
	}
}

export interface NodeRun {
	/** The node's name below `n8n-nodes-lead-revenue.`. */
	type: string;
	parameters: INodeParameters;
	/** Input items; one empty item unless given. */
	input?: IDataObject[];
	credential: { baseUrl: string; apiKey: string };
	/** Credentials with one id share a request gate, as they do in n8n. */
	credentialId?: string;
	/** What a user sets under the node's own Settings. */
	settings?: Partial<Pick<INode, 'onError' | 'retryOnFail' | 'maxTries' | 'waitBetweenTries'>>;
	timezone?: string;
	executionId?: string;
	workflowId?: string;
	/** Ends the execution, as Stop in the editor does. */
	cancelAfter?: Promise<unknown>;
}

export interface NodeOutcome {
	/** The items of the first output. */
	items: INodeExecutionData[];
	/** All outputs; the last is the error output when the node has one. */
	outputs: INodeExecutionData[][];
	error?: NodeApiError;
	run: IRun;
}

let credentialCount = 0;

/** Runs one node of this package in n8n's real engine, fed by pinned items. */
export async function runNode(options: NodeRun): Promise<NodeOutcome> {
	const { type, parameters, input = [{}], settings = {}, timezone = 'Europe/Berlin' } = options;
	const credentialId = options.credentialId ?? `credential-${++credentialCount}`;
	const node: INode = {
		id: 'node-under-test',
		name: 'Node',
		type: `${PACKAGE}.${type}`,
		typeVersion: 1,
		position: [200, 0],
		parameters,
		credentials: { leadRevenueApi: { id: credentialId, name: 'Test' } },
		...settings,
	};
	const workflow = new Workflow({
		id: options.workflowId ?? 'workflow-under-test',
		nodes: [
			{ id: 'input', name: 'Input', type: 'test.input', typeVersion: 1, position: [0, 0], parameters: {} },
			node,
		],
		connections: { Input: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } },
		active: false,
		nodeTypes,
		settings: { timezone, executionOrder: 'v1' },
	});
	const executionId = options.executionId ?? '1';
	const additionalData = {
		credentialsHelper: new CredentialsInMemory(options.credential),
		hooks: new ExecutionLifecycleHooks('manual', executionId, {
			id: workflow.id,
			name: 'Test',
			active: false,
			isArchived: false,
			nodes: [],
			connections: {},
			createdAt: new Date(0),
			updatedAt: new Date(0),
			activeVersionId: null,
		} as never),
		executionId,
		currentNodeExecutionIndex: 0,
		restApiUrl: 'http://localhost/rest',
		instanceBaseUrl: 'http://localhost/',
		webhookBaseUrl: 'http://localhost/webhook',
		webhookWaitingBaseUrl: 'http://localhost/webhook-waiting',
		formBaseUrl: 'http://localhost/form',
		formWaitingBaseUrl: 'http://localhost/form-waiting',
		variables: {},
	} as unknown as IWorkflowExecuteAdditionalData;

	const running = new WorkflowExecute(additionalData, 'manual').run({
		workflow,
		startNode: workflow.getNode('Input') as INode,
		pinData: { Input: input.map((json) => ({ json })) },
	});
	if (options.cancelAfter !== undefined) void options.cancelAfter.then(() => running.cancel());
	const run = await running;
	const task = run.data.resultData.runData.Node?.[0];
	const outputs = (task?.data?.main ?? []).map((items) => items ?? []);
	const error = (task?.error ?? run.data.resultData.error) as NodeApiError | undefined;
	return { items: outputs[0] ?? [], outputs, run, ...(error === undefined ? {} : { error }) };
}
