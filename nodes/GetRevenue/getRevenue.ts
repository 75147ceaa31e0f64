import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	INodeExecutionData,
} from 'n8n-workflow';
import { nameInLog, operationError } from '../shared/errorText';
import { isObject } from '../shared/isObject';
import { linkedItems } from '../shared/items';
import { listRecords, readListSettings } from '../shared/list/listRecords';
import { Notices } from '../shared/list/notices';
import type { ItemParameters } from '../shared/parameters/itemParameters';
import { parametersOf } from '../shared/parameters/itemParameters';
import { readChoice, readNumber } from '../shared/parameters/read';
import { MAX_TIMEOUT_MS, readRetryOptions } from '../shared/parameters/retryOptions';
import type { Call } from '../shared/service/call';
import type { Transport } from '../shared/service/connection/connection';
import { connect } from '../shared/service/connection/connection';
import type { Secrets } from '../shared/service/connection/secrets';
import type { RequestContext, RetrySettings } from '../shared/service/context';
import { requestContext, stopOrCancellation } from '../shared/service/context';
import { request } from '../shared/service/request';
import { boundedObject } from '../shared/tool/result';
import { readQuery } from './filters';
import { OPERATIONS } from './operations';
import type { RevenueOperation } from './operations/operation';
import { MAX_ITEMS_PER_INPUT, NARROW_DATES } from './operations/operation';

type HttpRequestOptions = DeclarativeRestApiSettings.HttpRequestOptions;

/** Runs the operation for one input item. @param options what n8n has collected: the query, and the user's Request Options. */
export async function getRevenue(
	functions: IExecutePaginationFunctions,
	options: HttpRequestOptions,
	stop: AbortSignal,
	secrets: Secrets,
): Promise<INodeExecutionData[]> {
	const itemIndex = functions.getItemIndex();
	const parameters = parametersOf(functions, itemIndex);
	const { call, returns } = operationOf(parameters);
	const retry = readRequestOptions(parameters);
	const queried = { ...call, query: readQuery(parameters, options.qs ?? {}) };
	const notices = new Notices('record', ', or narrow the dates under Filters');
	const wanted = 'list' in returns ? readListSettings(parameters, returns.list, notices) : returns.objectWith;
	const connection = await connect(functions, { itemIndex, secrets, transport: transportOf(options) });
	const ctx = requestContext(functions, connection, retry, itemIndex, { signal: stopOrCancellation(stop, functions) });
	if (typeof wanted === 'string') return linkedItems([await readObject(ctx, queried, wanted)], itemIndex);
	const items = await listRecords(functions, ctx, queried, wanted, MAX_ITEMS_PER_INPUT);
	if (items.length > MAX_ITEMS_PER_INPUT) throw tooManyItems(ctx);
	// n8n has no hints for declarative nodes (measured on 2.41.1 and 1.123.81).
	const name = nameInLog(functions);
	for (const message of notices.messages()) functions.logger.warn(connection.redact(`${name}: ${message}`));
	return items;
}

/** The name decides which parameters n8n shows and collects, so an expression is not resolved. */
function operationOf(parameters: ItemParameters): RevenueOperation {
	const values = OPERATIONS.map(({ value }) => value);
	const chosen = readChoice(parameters, 'Operation', parameters.node.parameters.operation, values);
	return OPERATIONS.find(({ value }) => value === chosen) as RevenueOperation;
}

/**
 * The Request Options that n8n adds to a declarative node take precedence. Their timeout is in milliseconds; 0 means none. The
 * editor accepts any number, and more than a day counts as a day.
 */
function readRequestOptions(parameters: ItemParameters): RetrySettings {
	const retry = readRetryOptions(parameters);
	// Without this check, an expression that returns nothing would send the request without the proxy.
	parameters.optional('Proxy', 'requestOptions.proxy');
	const timeout = parameters.optional('Timeout', 'requestOptions.timeout');
	if (!timeout) return retry;
	return { ...retry, timeoutMs: Math.min(readNumber(parameters, 'Timeout', timeout, 1), MAX_TIMEOUT_MS) };
}

export function transportOf({ proxy, allowedDomains, skipSslCertificateValidation }: HttpRequestOptions): Transport {
	return {
		...(proxy !== undefined && { proxy }),
		...(allowedDomains !== undefined && { allowedDomains }),
		...(skipSslCertificateValidation === true && { skipSslCertificateValidation }),
	};
}

/** Reads an object. @throws NodeApiError for a response whose field `field` is no object. */
async function readObject(ctx: RequestContext, call: Call, field: string): Promise<IDataObject> {
	const result = await request(ctx, call);
	if (!isObject(result.body) || !isObject(result.body[field])) throw result.contractError(`it has no "${field}"`);
	return boundedObject(ctx, result.body as IDataObject, NARROW_DATES);
}

function tooManyItems({ node, itemIndex }: RequestContext): Error {
	const most = MAX_ITEMS_PER_INPUT.toLocaleString('en');
	const message = `There are more than ${most} records, which is more than n8n can take from this node at once`;
	const description =
		'Set "Output" to File, which takes any number, or narrow "Date From" and "Date To" under Filters and run the node once for each period. Nothing was output.';
	return operationError(node, message, { itemIndex, description });
}
