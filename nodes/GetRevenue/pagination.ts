import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';
import { operationError } from '../shared/errorText';
import { isObject } from '../shared/isObject';
import { linkedItems, orErrorItem } from '../shared/items';
import { listRecords, readListSettings } from '../shared/list/listRecords';
import { Notices } from '../shared/list/notices';
import type { ItemParameters } from '../shared/parameters/itemParameters';
import { parametersOf } from '../shared/parameters/itemParameters';
import { operationField } from '../shared/parameters/nodeFields';
import { readNumber, unknownChoice } from '../shared/parameters/read';
import { MAX_TIMEOUT_MS, readRetryOptions } from '../shared/parameters/retryOptions';
import type { Call } from '../shared/service/call';
import type { Transport } from '../shared/service/connection/connection';
import { connect } from '../shared/service/connection/connection';
import type { Secrets } from '../shared/service/connection/secrets';
import type { RequestContext } from '../shared/service/context';
import { requestContext, stopOrCancellation } from '../shared/service/context';
import { request } from '../shared/service/request';
import { boundedObject } from '../shared/tool/result';
import { readQuery } from './filters';
import type { RevenueOperation } from './operations/operation';
import { MAX_ITEMS_PER_INPUT, NARROW_DATES } from './operations/operation';
import { stopSiblingsOnFailure } from './siblings';

/**
 * Declares the operations to n8n's declarative engine. n8n collects the query from the filters' `routing`, and `pagination` sends
 * it. n8n's own pagination ignores the limit, the rate limit and item linking. The output is one item per record, one item with a
 * file of all records, or one item for an object.
 *
 * `pagination` belongs to the parameter, not to its options. For a value that is no option, n8n would send a request of its own to
 * the base URL, and follow a redirect with the key (measured on 2.41.1 and 1.123.81).
 */
export function declaredOperations(preset: string, operations: readonly RevenueOperation[]): INodeProperties {
	async function pagination(
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		const itemIndex = this.getItemIndex();
		const parameters = parametersOf(this, itemIndex);
		const work = async (stop: AbortSignal, secrets: Secrets) => {
			const { call, returns } = operationOf(parameters, operations);
			const retry = readRetryOptions(parameters);
			// Without this check, an expression that returns nothing would send the request without the proxy.
			parameters.optional('Proxy', 'requestOptions.proxy');
			// The Request Options that n8n adds to a declarative node take precedence. Their timeout is in milliseconds; 0 means none. The
			// editor accepts any number, and more than a day counts as a day.
			const timeout = parameters.optional('Timeout', 'requestOptions.timeout');
			if (timeout) retry.timeoutMs = Math.min(readNumber(parameters, 'Timeout', timeout, 1), MAX_TIMEOUT_MS);
			const queried = { ...call, query: readQuery(parameters, options.qs ?? {}) };
			const notices = new Notices('record', ', or narrow the dates under Filters');
			const wanted = 'list' in returns ? readListSettings(parameters, returns.list, notices) : returns.objectWith;
			const connection = await connect(this, transportOf(options), itemIndex, secrets);
			const ctx = requestContext(this, connection, retry, itemIndex, { signal: stopOrCancellation(stop, this) });
			if (typeof wanted === 'string') return linkedItems([await readObject(ctx, queried, wanted)], itemIndex);
			const items = await listRecords(this, ctx, queried, wanted, MAX_ITEMS_PER_INPUT);
			if (items.length > MAX_ITEMS_PER_INPUT) {
				const most = MAX_ITEMS_PER_INPUT.toLocaleString('en');
				const message = `There are more than ${most} records, which is more than n8n can take from this node at once`;
				const description =
					'Set "Output" to File, which takes any number, or narrow "Date From" and "Date To" under Filters and run the node once for each period. Nothing was output.';
				throw operationError(ctx.node, message, { itemIndex, description });
			}
			// n8n has no hints for declarative nodes (measured on 2.41.1 and 1.123.81).
			for (const message of notices.messages()) this.logger.warn(connection.redact(`${ctx.node.name}: ${message}`));
			return items;
		};
		return await stopSiblingsOnFailure(
			this.getExecuteData(),
			itemIndex,
			async (stop, secrets) => await orErrorItem(this, itemIndex, async () => await work(stop, secrets)),
		);
	}

	const options = operations.map(({ name, value, action, description, call }) => ({
		...{ name, value, action, description },
		routing: { request: { method: 'GET' as const, url: call.path } },
	}));
	return { ...operationField(preset, ...options), routing: { send: { paginate: true }, operations: { pagination } } };
}

/**
 * Returns the operation that the workflow names. The name decides which parameters n8n shows and collects, so an expression is
 * not resolved.
 * @throws NodeOperationError for another value.
 */
function operationOf(parameters: ItemParameters, operations: readonly RevenueOperation[]): RevenueOperation {
	const chosen = parameters.node.parameters.operation;
	const found = operations.find(({ value }) => value === chosen);
	if (found !== undefined) return found;
	const names = operations.map(({ name }) => name);
	throw unknownChoice(parameters, 'Operation', 'this node', chosen, names);
}

export function transportOf(options: DeclarativeRestApiSettings.HttpRequestOptions): Transport {
	const transport: Transport = {};
	if (options.proxy !== undefined) transport.proxy = options.proxy;
	if (options.allowedDomains !== undefined) transport.allowedDomains = options.allowedDomains;
	if (options.skipSslCertificateValidation === true) transport.skipSslCertificateValidation = true;
	return transport;
}

/** Reads an object. @throws NodeApiError for a response whose field `field` is no object. */
async function readObject(ctx: RequestContext, call: Call, field: string): Promise<IDataObject> {
	const result = await request(ctx, call);
	if (!isObject(result.body) || !isObject(result.body[field])) throw result.contractError(`it has no "${field}"`);
	return boundedObject(ctx, result.body as IDataObject, NARROW_DATES);
}
