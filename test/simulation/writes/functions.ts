import { AsyncLocalStorage } from 'node:async_hooks';
import type {
	IAdditionalCredentialOptions,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';
import { storedCopy } from '../../support/scripted/storing.ts';
import type { VirtualTime } from '../time.ts';
import type { View, Written } from './expressions.ts';
import { valueOf } from './expressions.ts';
import type { Item, Mode, WriteNode } from './n8n.ts';
import { contentFor, parametersOf } from './n8n.ts';
import type { Process } from './process.ts';
import type { Attempt, ItemAttempt } from './records.ts';
import type { Course, ServiceModel, ServiceResponse, WriteRequest } from './service.ts';

/** What all runs in an execution are given by n8n. */
export interface RunContext {
	process: Process;
	workflowId: string;
	/** None in a tool call without an execution. */
	executionId: string | undefined;
	mode: Mode;
	resumeToken: string | undefined;
	signal: AbortSignal | undefined;
}

/** What a run of a node is given besides. */
export interface RunOfNode extends RunContext {
	node: WriteNode;
	/** n8n's type of it: that of a tool ends in "Tool". */
	type: string;
	items: Item[];
	runIndex: number;
	/** The node's context; `undefined` where n8n has none. */
	context: IDataObject | undefined;
	attempt: Attempt;
	/** What `$fromAI` reads, in a tool call. */
	fromAi?: (name: string) => unknown;
	/** The arguments of a tool call outside the workflow's own run, and who makes it. */
	args?: IDataObject;
	caller?: { node: { name: string; type: string }; input: Item[]; source: object | null };
}

export interface FunctionsWorld {
	time: VirtualTime;
	random: () => number;
	service: ServiceModel<ItemAttempt>;
	/** Whether the credential has an expression, so that each item has its own organization. */
	hasOrganizations: boolean;
	/** Whether n8n can read the credential now. */
	isReadable(): boolean;
	nextCourse(): Course & { isSent: boolean };
}

// n8n's functions do not say for which item a request is; the parameters that were read before it do.
const currentItem = new AsyncLocalStorage<ItemAttempt>();

function organizationOf(world: FunctionsWorld, item: Item | undefined): string {
	return world.hasOrganizations ? String(item?.json.org ?? 'x') : 'x';
}

/**
 * Returns the functions that n8n calls a node with (read in n8n-core 2.41.1, ExecuteContext), as far as our nodes use them.
 */
export function functionsFor(world: FunctionsWorld, run: RunOfNode): IExecuteFunctions {
	const { process, node, items, runIndex, attempt, fromAi } = run;
	const executionId = run.executionId ?? '__UNKNOWN__';
	const resumeUrl = `https://n8n.example/webhook-waiting/${executionId}`;
	const $execution = {
		id: executionId,
		resumeUrl: run.resumeToken === undefined ? resumeUrl : `${resumeUrl}?signature=${run.resumeToken}`,
	};
	const parameters = parametersOf(node);
	const input: INodeExecutionData[] = items.map(({ json }, item) => ({ json, pairedItem: { item } }));
	const asInWorkflow = {
		id: `id of ${node.name}`,
		name: node.name,
		type: run.type,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		credentials: { leadRevenueApi: { id: 'credential', name: 'credential' } },
		...node.settings,
	};
	const viewOf = (index: number): View => ({
		$json: items[index]?.json ?? {},
		$itemIndex: index,
		$runIndex: runIndex,
		$execution,
		start: items[index]?.start ?? {},
		...(fromAi !== undefined && { fromAi }),
		// A sum would keep only twelve bits of the random number: two items could have one time.
		now: () => `t${world.time.now} ${world.random()}`,
		random: world.random,
	});
	/** Returns what the caller of a tool means by an item, whatever n8n's expressions read. */
	const meantBy = (index: number): View =>
		run.args === undefined ? viewOf(index) : { ...viewOf(index), fromAi: (name) => run.args?.[name] };
	const itemAt = (index: number): ItemAttempt => {
		attempt.items[index] ??= begun(attempt, index, meantBy(index), organizationOf(world, items[index]));
		return attempt.items[index];
	};
	const getNodeParameter = (name: string, index: number, fallback?: unknown, options?: { extractValue?: boolean }) => {
		const item = itemAt(index);
		currentItem.enterWith(item);
		const parameter = parameters[name] ?? fallback;
		const value = valueOf(parameter, viewOf(index));
		const extracted = options?.extractValue === true ? (value as { value: unknown }).value : value;
		note(item, name, extracted);
		return extracted;
	};
	const request = async function (
		this: { getExecutionCancelSignal(): AbortSignal },
		_type: string,
		options: IHttpRequestOptions,
		credentials: IAdditionalCredentialOptions,
	) {
		return await send(world, process, this.getExecutionCancelSignal(), options, credentials);
	};
	return {
		getInputData: (_index = 0, connection = 'main') => {
			// For a call outside the workflow's run, n8n has no main input of the tool.
			if (connection === 'main') return run.args === undefined ? input : [{ json: run.args }];
			return run.args === undefined ? [] : [{ json: run.args }];
		},
		getNode: () => ({ ...asInWorkflow }),
		getNodeParameter,
		getTimezone: () => 'UTC',
		evaluateExpression: (code: string, index: number) => {
			// n8n looks the item up for every expression.
			const item = Number(index);
			return valueOf(`=${code}`, viewOf(item));
		},
		getCredentials: async (_type: string, index?: number) => {
			if (!world.isReadable()) throw new Error('the credential cannot be decrypted');
			// Resolving an expression looks the item up.
			const item = world.hasOrganizations ? items[Number(index ?? 0)] : undefined;
			return await Promise.resolve({
				baseUrl: 'https://service.example',
				apiKey: `key-of-organization-${organizationOf(world, item)}`,
			});
		},
		getWorkflowDataProxy: () => ({ $runIndex: runIndex, $execution, ...(fromAi !== undefined && { $fromAI: fromAi }) }),
		getContext: () => {
			if (run.context === undefined) throw new Error('`executionData` is not initialized');
			return run.context;
		},
		getExecutionId: () => run.executionId,
		getWorkflow: () => ({ id: run.workflowId, name: 'workflow', active: true }),
		getMode: () => run.mode,
		continueOnFail: () => node.settings.onError !== 'stopWorkflow',
		getExecutionCancelSignal: () => run.signal,
		getExecuteData: () => ({
			node: run.caller?.node ?? { name: node.name, type: run.type },
			data: { main: [run.caller?.input ?? items] },
			source: run.caller?.source ?? null,
		}),
		addExecutionHints: () => {},
		helpers: { httpRequestWithAuthentication: request },
	} as unknown as IExecuteFunctions;
}

/** Sends through n8n's helper (read in n8n-core 2.41.1): a failure is axios' error, and an abort ends the request. */
async function send(
	world: FunctionsWorld,
	process: Process,
	over: AbortSignal,
	{ method, url, headers, body }: IHttpRequestOptions,
	credentials: IAdditionalCredentialOptions,
) {
	const sender = currentItem.getStore();
	if (sender === undefined) throw new Error('a request for no item');
	if (method !== 'POST') throw new Error('a request that is no write');
	const course = world.nextCourse();
	if (!course.isSent) throw new Error('the credential cannot be decrypted');
	const apiKey = String(credentials.credentialsDecrypted?.data?.apiKey);
	const write: WriteRequest<ItemAttempt> = {
		organization: apiKey.replace('key-of-organization-', ''),
		key: String(headers?.['Idempotency-Key']),
		path: url.replace('https://service.example', ''),
		// Serialized when it is sent.
		body: storedCopy(body) as object,
		sender,
		sentAt: world.time.now,
	};
	const aborted = new Promise<never>((_resolve, reject) => {
		over.addEventListener('abort', () => reject(Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' })));
	});
	aborted.catch(() => {});
	const exchange = async () => {
		await process.breath();
		sender.requests.push(write);
		return await process.outlives(Promise.race([world.service.respond(write, course), aborted]));
	};
	const response = await exchange().catch((error: Error & { code: string }) => {
		throw Object.assign(new Error('n8n could not send it'), {
			cause: { isAxiosError: true, code: error.code, message: error.message, config: { url } },
		});
	});
	return { statusCode: response.status, headers: response.headers, body: streamOf(response) };
}

function streamOf({ body, breaksOff = false }: ServiceResponse) {
	return {
		destroy: () => {},
		async *[Symbol.asyncIterator]() {
			await Promise.resolve();
			yield Buffer.from(breaksOff ? body.slice(0, 3) : body);
			if (breaksOff) throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
		},
	};
}

/** Returns what the documentation says of an item before the node has done anything. */
function begun(attempt: Attempt, index: number, view: View, organization: string): ItemAttempt {
	const { written, second, ownKey, type } = attempt.node;
	const partOf = ({ text, isComputed, names }: Written, value: unknown): unknown =>
		isComputed ? [text, ...names.map((name) => valueOf(`={{ ${name} }}`, view) ?? null)] : { value };
	const isComputed = written.isComputed || second.isComputed;
	const parts = [written, second].map((one) => partOf(one, valueOf(one.text, view)));
	const hasOwnKey = ownKey.text !== '';
	// A key that reads something is the identity; one that computes something is identified like the change.
	const own = ownKey.isComputed ? partOf(ownKey, undefined) : valueOf(ownKey.text, view);
	return {
		attempt,
		index,
		identity: JSON.stringify([type, organization, parts, own ?? null]),
		isComputed: isComputed || ownKey.isComputed,
		hasOwnKey,
		ownKey: undefined,
		meant: isComputed ? undefined : contentFor(type, valueOf(written.text, view), valueOf(second.text, view)),
		intended: undefined,
		organization,
		requests: [],
	};
}

/** The values that the node reads for an item, by parameter. */
const values = new WeakMap<ItemAttempt, Record<string, unknown>>();

function note(item: ItemAttempt, name: string, value: unknown): void {
	const noted = { ...values.get(item), [name]: value };
	values.set(item, noted);
	const { type } = item.attempt.node;
	const [written, second] =
		type === 'tagLead' ? [noted.lead, noted.tagId] : [noted.name, (noted.replies as unknown[] | undefined)?.[0]];
	const isUsable = (text: unknown) => text !== undefined && text !== null && text !== '';
	if (isUsable(written) && isUsable(second)) item.intended = contentFor(type, written, second);
	if (name === 'options') {
		const own = (value as IDataObject).idempotencyKey;
		if (isUsable(own)) item.ownKey = String(own);
	}
}
