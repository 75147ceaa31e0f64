import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodePropertyOptions,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { linkedItems, orErrorItem } from '../shared/items';
import { listRecords, readListSettings } from '../shared/list/listRecords';
import { Notices } from '../shared/list/notices';
import type { RecordList } from '../shared/list/recordList';
import { readOptional } from '../shared/parameters/expressions';
import type { Place } from '../shared/parameters/read';
import { readNumber } from '../shared/parameters/read';
import { MAX_TIMEOUT_MS, readRetryOptions } from '../shared/parameters/retryOptions';
import type { Call } from '../shared/service/call';
import { stopOrCancellation } from '../shared/service/cancellation';
import type { Transport } from '../shared/service/connection/connection';
import { connect } from '../shared/service/connection/connection';
import type { RequestContext } from '../shared/service/request';
import { request, requestContext } from '../shared/service/request';
import { boundedObject } from '../shared/tool/result';
import { readQuery } from './filters';
import type { RecordFields, RevenueOperation } from './operations/operation';
import { stopSiblingsOnFailure, secretsOfRun } from './siblings';

/**
 * n8n's declarative engine spreads one input item's output into a call: about 120,000 items overflow the call stack
 * (measured on 1.123 and 2.41). Only a node that stops before can tell the user what to do.
 */
export const MAX_ITEMS_PER_INPUT = 100_000;

const NARROW_DATES = 'narrow "Date From" and "Date To" under Filters';

/** Reads the parameters of one input item, and returns what reads the service for it. */
type Prepare = (
	functions: IExecutePaginationFunctions,
	place: Place,
) => (ctx: RequestContext, call: Call) => Promise<INodeExecutionData[]>;

/**
 * An operation as n8n's declarative engine takes it: n8n collects the query from the filters' `routing`, and this sends it. It
 * replaces n8n's own pagination, which ignores the limit, the request budget and item linking.
 */
export function declared(operation: RevenueOperation): INodePropertyOptions {
	const { name, value, action, description, call, returns } = operation;
	const prepare = 'list' in returns ? listOf(returns.list) : objectOf(returns.object.required);

	async function pagination(
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		const itemIndex = this.getItemIndex();
		const evaluate = (text: string) => this.evaluateExpression(text, itemIndex);
		const place = { node: this.getNode(), itemIndex, evaluate };
		const work = async (stop: AbortSignal) => {
			const retry = readRetryOptions(place, this.getNodeParameter('options', {}) as IDataObject);
			// n8n's own Request Options of a declarative node take precedence; their timeout is in milliseconds, 0 for none.
			// The editor takes any number: more than a day counts as a day.
			const { timeout, proxy } = this.getNodeParameter('requestOptions', {}) as { timeout?: unknown; proxy?: unknown };
			readOptional(place, 'Proxy', proxy, 'requestOptions.proxy');
			if (readOptional(place, 'Timeout', timeout, 'requestOptions.timeout'))
				retry.timeoutMs = Math.min(readNumber(place, 'Timeout', timeout, 1), MAX_TIMEOUT_MS);
			const query = readQuery(place, options.qs ?? {}, this.getTimezone());
			const read = prepare(this, place);
			const connection = await connect(this, transportOf(options), itemIndex, secretsOfRun(this.getExecuteData()));
			const ctx = requestContext(this, connection, retry, itemIndex, { signal: stopOrCancellation(stop, this) });
			return await read(ctx, { ...call, query });
		};
		return await stopSiblingsOnFailure(
			this.getExecuteData(),
			itemIndex,
			async (stop) => await orErrorItem(this, itemIndex, async () => await work(stop)),
		);
	}

	const routing = {
		request: { method: 'GET' as const, url: call.path },
		send: { paginate: true },
		operations: { pagination },
	};
	return { name, value, action, description, routing };
}

/** The settings of n8n's own Request Options that concern the connection. */
export function transportOf(options: DeclarativeRestApiSettings.HttpRequestOptions): Transport {
	const transport: Transport = {};
	if (options.proxy !== undefined) transport.proxy = options.proxy;
	if (options.allowedDomains !== undefined) transport.allowedDomains = options.allowedDomains;
	if (options.skipSslCertificateValidation === true) transport.skipSslCertificateValidation = true;
	return transport;
}

function listOf({ name, fields }: { name: string; fields: RecordFields }): Prepare {
	const list: RecordList = {
		name,
		columns: Object.keys(fields),
		simplified: Object.keys(fields).filter((field) => fields[field]),
		keysOf: (records) => records.map(({ id }) => (typeof id === 'string' ? id : undefined)),
		remembered: MAX_ITEMS_PER_INPUT,
		narrower: NARROW_DATES,
	};
	return (functions, place) => {
		const notices = new Notices('record', ', or narrow the dates under Filters');
		const get = (parameter: string) => functions.getNodeParameter(parameter, '');
		const settings = readListSettings(place, get, list, notices, functions.getTimezone());
		return async (ctx, call) => {
			const items = await listRecords(functions, ctx, call, settings, MAX_ITEMS_PER_INPUT);
			if (items.length > MAX_ITEMS_PER_INPUT) throw tooManyItems(place);
			// n8n has no hints for declarative nodes (measured on 2.41.1 and 1.123.81).
			for (const message of notices.messages())
				functions.logger.warn(ctx.connection.redact(`${place.node.name}: ${message}`));
			return items;
		};
	};
}

function objectOf(required: string): Prepare {
	return (_functions, place) => async (ctx, call) => {
		const result = await request(ctx, call);
		if (typeof result.body !== 'object' || result.body === null || !(required in result.body)) {
			throw result.contractError(`it has no "${required}"`);
		}
		return linkedItems([boundedObject(place, result.body as IDataObject, NARROW_DATES)], place.itemIndex);
	};
}

function tooManyItems(place: Place): NodeOperationError {
	const most = MAX_ITEMS_PER_INPUT.toLocaleString('en');
	return new NodeOperationError(
		place.node,
		`There are more than ${most} records, which is more than n8n can take from this node at once`,
		{
			itemIndex: place.itemIndex,
			description:
				'Set "Output" to File, which takes any number, or narrow "Date From" and "Date To" under Filters and run the node once for each period. Nothing was output.',
		},
	);
}
