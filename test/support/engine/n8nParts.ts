import type { ExecuteContext } from 'n8n-core';
import { DirectoryLoader, ExecutionLifecycleHooks, RoutingNode } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialsExpressionResolveValues,
	ICredentialType,
	IExecuteData,
	IExecuteFunctions,
	IHttpRequestOptions,
	INode,
	INodeCredentials,
	INodeCredentialsDetails,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypes,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { ICredentialsHelper, Workflow } from 'n8n-workflow';
import { LeadRevenueApi } from '../../../credentials/LeadRevenueApi.credentials.ts';
import { LeadRevenueOAuth2Api } from '../../../credentials/LeadRevenueOAuth2Api.credentials.ts';
import { CreateKeywordAutomation } from '../../../nodes/CreateKeywordAutomation/CreateKeywordAutomation.node.ts';
import { GetRevenue } from '../../../nodes/GetRevenue/GetRevenue.node.ts';
import { ListLeads } from '../../../nodes/ListLeads/ListLeads.node.ts';
import { ManualRecordTrigger } from '../../../nodes/ManualRecordTrigger/ManualRecordTrigger.node.ts';
import { TagLead } from '../../../nodes/TagLead/TagLead.node.ts';
import { TransactionTrigger } from '../../../nodes/TransactionTrigger/TransactionTrigger.node.ts';
import { PACKAGE } from '../../../scripts/lib/repository.ts';

/** Returns the full type of a node of this package. */
export function ownType(name: string): string {
	return `${PACKAGE.name}.${name}`;
}

/** The source of a workflow's data; its output is pinned, as a user pins data in the editor. */
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

/** Sends its input back once, so that the node before it runs twice. */
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

/** The node types that a workflow of a test may have, by their names. */
export const NODES: Record<string, INodeType> = {
	'test.input': new Input(),
	'test.again': new Again(),
	[ownType('createKeywordAutomation')]: new CreateKeywordAutomation(),
	[ownType('getRevenue')]: new GetRevenue(),
	[ownType('listLeads')]: new ListLeads(),
	[ownType('manualRecordTrigger')]: new ManualRecordTrigger(),
	[ownType('tagLead')]: new TagLead(),
	[ownType('transactionTrigger')]: new TransactionTrigger(),
};

// As n8n does when it loads a package: a declarative node gets n8n's own Request Options, and its `execute`.
for (const nodeType of Object.values(NODES).filter(({ poll }) => poll === undefined)) {
	DirectoryLoader.applyDeclarativeNodeOptionParameters(nodeType);
	nodeType.execute ??= async function (this: IExecuteFunctions) {
		return (await new RoutingNode(this as ExecuteContext, nodeType).runNode()) ?? [];
	};
}

/** The node types, as n8n's engine asks for them. */
export const nodeTypes: INodeTypes = {
	getByName: (type) => NODES[type] as INodeType,
	getByNameAndVersion: (type) => NODES[type] as INodeType,
	getKnownTypes: () => ({}),
};

const CREDENTIAL_TYPES: Record<string, ICredentialType> = {
	leadRevenueApi: new LeadRevenueApi(),
	leadRevenueOAuth2Api: new LeadRevenueOAuth2Api(),
};

/** Returns the credentials of a node, by its Authentication. */
export function nodeCredentials({ authentication }: INodeParameters, id: string): INodeCredentials {
	return { [authentication === 'oAuth2' ? 'leadRevenueOAuth2Api' : 'leadRevenueApi']: { id, name: 'Test' } };
}

const credentialReads = new WeakMap<object, number>();

/** Returns how often a credential was read, which in n8n is a query and a decryption. */
export const readsOf = (credential: object) => credentialReads.get(credential) ?? 0;

/** The node for which n8n evaluates the expressions of a credential without a run. */
const NO_NODE: INode = { id: '', name: '', typeVersion: 1, type: 'mock', position: [0, 0], parameters: {} };

/** Handles a credential as n8n does between its database and the request, without the database. */
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
	): Promise<IHttpRequestOptions> {
		const { authenticate } = CREDENTIAL_TYPES[typeName] as ICredentialType;
		if (typeof authenticate !== 'function') throw new Error(`${typeName} does not authenticate with a function`);
		return await authenticate(credentials, requestOptions);
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

	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		_nodeCredentials: INodeCredentialsDetails,
		type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		raw?: boolean,
		resolve?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		credentialReads.set(this.data, readsOf(this.data) + 1);
		const data = structuredClone(this.data) as INodeParameters;
		if (raw === true) return data as ICredentialDataDecryptedObject;
		// n8n's default until a user connects the credential.
		if (type === 'leadRevenueOAuth2Api') data.oauthTokenData ??= {};
		if (resolve === undefined) {
			const { expression } = new Workflow({ nodes: [NO_NODE], connections: {}, active: false, nodeTypes });
			return expression.getComplexParameterValue(
				NO_NODE,
				data,
				mode,
				{},
				undefined,
				undefined,
				data as never,
			) as ICredentialDataDecryptedObject;
		}
		const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = resolve;
		const resolved = workflow.expression.getParameterValue(
			data,
			runExecutionData,
			runIndex,
			itemIndex,
			node.name,
			connectionInputData,
			mode,
			{},
			executeData,
			false,
			data as never,
		);
		return resolved as ICredentialDataDecryptedObject;
	}

	async updateCredentials(): Promise<void> {}

	/** Updates the object from the constructor, which stands for the row in n8n's database. */
	async updateCredentialsOauthTokenData(
		_nodeCredentials: INodeCredentialsDetails,
		_type: string,
		{ oauthTokenData }: ICredentialDataDecryptedObject,
	): Promise<void> {
		if (oauthTokenData !== undefined) this.data.oauthTokenData = structuredClone(oauthTokenData);
	}

	getCredentialsProperties() {
		return [];
	}
}

/** Returns what n8n gives an execution besides the workflow, with one credential for every node. */
export function additionalDataFor(
	credential: ICredentialDataDecryptedObject,
	workflowId: string,
	executionId: string,
): IWorkflowExecuteAdditionalData {
	const workflow = { id: workflowId, name: 'Test', nodes: [], connections: {} };
	return {
		credentialsHelper: new CredentialsInMemory(credential),
		hooks: new ExecutionLifecycleHooks('manual', executionId, workflow as never),
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
}
