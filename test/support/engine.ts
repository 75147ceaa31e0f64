import 'reflect-metadata';
import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialType,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypes,
	IRun,
	IRunExecutionData,
	IWorkflowExecuteAdditionalData,
	NodeApiError,
} from 'n8n-workflow';
import { ICredentialsHelper, Workflow } from 'n8n-workflow';
import { LeadRevenueApi } from '../../credentials/LeadRevenueApi.credentials';
import { CreateKeywordAutomation } from '../../nodes/CreateKeywordAutomation/CreateKeywordAutomation.node';
import { GetRevenue } from '../../nodes/GetRevenue/GetRevenue.node';
import { ListLeads } from '../../nodes/ListLeads/ListLeads.node';
import { TagLead } from '../../nodes/TagLead/TagLead.node';

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

/** Sends what it gets back once, so that the node before it runs twice. */
class Again extends Input {
	override description = {
		...new Input().description,
		displayName: 'Again',
		name: 'again',
		group: ['transform' as const] as never,
		inputs: ['main' as const] as never,
	};

	override async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [this.getWorkflowDataProxy(0).$runIndex === 0 ? this.getInputData() : []];
	}
}

const NODES: Record<string, INodeType> = {
	'test.input': new Input(),
	'test.again': new Again(),
	[`${PACKAGE}.createKeywordAutomation`]: new CreateKeywordAutomation(),
	[`${PACKAGE}.getRevenue`]: new GetRevenue(),
	[`${PACKAGE}.listLeads`]: new ListLeads(),
	[`${PACKAGE}.tagLead`]: new TagLead(),
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
	nodeId?: string;
	/** Runs the node twice in one execution, as a loop does. */
	twice?: boolean;
	/** Ends the execution, as Stop in the editor does. */
	cancelAfter?: Promise<unknown>;
	/** Goes on from a failed execution's data, as the Retry button does, instead of starting anew. */
	retryOf?: IRun;
}

export interface NodeOutcome {
	/** The items of the first output. */
	items: INodeExecutionData[];
	/** All outputs; the last is the error output when the node has one. */
	outputs: INodeExecutionData[][];
	error?: NodeApiError;
	run: IRun;
}

/** What n8n makes of a failed execution's stored data before it runs it again (read in its execution service, 2.41.1). */
function dataForRetry({ data }: IRun): IRunExecutionData {
	const copy = structuredClone(JSON.parse(JSON.stringify(data))) as IRunExecutionData;
	delete copy.resultData.error;
	copy.resultData.runData[copy.resultData.lastNodeExecuted as string]?.pop();
	return copy;
}

let credentialCount = 0;

/** Runs one node of this package in n8n's real engine, fed by pinned items. */
export async function runNode(options: NodeRun): Promise<NodeOutcome> {
	const { type, parameters, input = [{}], settings = {}, timezone = 'Europe/Berlin' } = options;
	const credentialId = options.credentialId ?? `credential-${++credentialCount}`;
	const node: INode = {
		id: options.nodeId ?? 'node-under-test',
		name: 'Node',
		type: `${PACKAGE}.${type}`,
		typeVersion: 1,
		position: [200, 0],
		parameters,
		credentials: { leadRevenueApi: { id: credentialId, name: 'Test' } },
		...settings,
	};
	const toNode = { node: 'Node', type: 'main' as const, index: 0 };
	const workflow = new Workflow({
		id: options.workflowId ?? 'workflow-under-test',
		nodes: [
			{ id: 'input', name: 'Input', type: 'test.input', typeVersion: 1, position: [0, 0], parameters: {} },
			node,
			{ id: 'again', name: 'Again', type: 'test.again', typeVersion: 1, position: [400, 0], parameters: {} },
		],
		connections: {
			Input: { main: [[toNode]] },
			...(options.twice === true && { Node: { main: [[{ ...toNode, node: 'Again' }]] }, Again: { main: [[toNode]] } }),
		},
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

	const running =
		options.retryOf === undefined
			? new WorkflowExecute(additionalData, 'manual').run({
					workflow,
					startNode: workflow.getNode('Input') as INode,
					pinData: { Input: input.map((json) => ({ json })) },
				})
			: new WorkflowExecute(additionalData, 'retry', dataForRetry(options.retryOf)).processRunExecutionData(workflow);
	if (options.cancelAfter !== undefined) void options.cancelAfter.then(() => running.cancel());
	const run = await running;
	const task = run.data.resultData.runData.Node?.[0];
	const outputs = (task?.data?.main ?? []).map((items) => items ?? []);
	const error = (task?.error ?? run.data.resultData.error) as NodeApiError | undefined;
	return { items: outputs[0] ?? [], outputs, run, ...(error === undefined ? {} : { error }) };
}
