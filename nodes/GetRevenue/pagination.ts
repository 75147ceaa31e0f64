import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	IN8nRequestOperations,
	INodeExecutionData,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { given } from '../shared/fields/expressions';
import { readLimit } from '../shared/fields/limit';
import type { Place } from '../shared/fields/read';
import { readNumber } from '../shared/fields/read';
import { MAX_TIMEOUT_MS, readRetryOptions } from '../shared/fields/retryOptions';
import { readFileSettings } from '../shared/file/fields';
import { linkedItems, orErrorItem } from '../shared/items';
import { listedItems } from '../shared/output/listedItems';
import { Noticed } from '../shared/output/noticed';
import { readOutput } from '../shared/output/readOutput';
import { Repeats } from '../shared/output/repeats';
import type { Call } from '../shared/service/call';
import { stopOrCancellation } from '../shared/service/cancellation';
import type { Transport } from '../shared/service/connection';
import { connect } from '../shared/service/connection';
import { pages } from '../shared/service/pages';
import type { RequestContext } from '../shared/service/request';
import { request, requestContext, situationOf } from '../shared/service/request';
import { contractError } from '../shared/service/serviceErrors';
import { boundedObject } from '../shared/toolAnswer';
import { readQuery } from './query';
import type { RecordFields } from './recordFields';
import { stopSiblingsOnFailure, secretsOfRun } from './siblings';

/**
 * n8n's declarative engine spreads one input item's output into a call: about 120,000 items overflow the call stack
 * (measured on 1.123 and 2.41). Only a node that stops before can tell the user what to do.
 */
export const MAX_ITEMS_PER_INPUT = 100_000;

const NARROW_DATES = 'narrow "Date From" and "Date To" under Filters';

type Fetch = (
	functions: IExecutePaginationFunctions,
	place: Place,
	ctx: RequestContext,
	call: Call,
) => Promise<INodeExecutionData[]>;

/**
 * Connects the declarative node to the shared request: n8n collects the query from the fields' `routing`, and this sends
 * it. It replaces n8n's own pagination, which ignores the limit, the request budget and item linking.
 */
function operation(fetch: Fetch, purpose: string): IN8nRequestOperations {
	async function pagination(
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		const itemIndex = this.getItemIndex();
		const place = { node: this.getNode(), itemIndex };
		const work = async (stop: AbortSignal) => {
			const retry = readRetryOptions(place, this.getNodeParameter('options', {}) as IDataObject);
			// n8n's own Request Options of a declarative node take precedence; their timeout is in milliseconds, 0 for none.
			// The editor takes any number: more than a day counts as a day.
			const { timeout, proxy } = this.getNodeParameter('requestOptions', {}) as { timeout?: unknown; proxy?: unknown };
			given(place, 'Proxy', proxy, 'requestOptions.proxy');
			if (given(place, 'Timeout', timeout, 'requestOptions.timeout'))
				retry.timeoutMs = Math.min(readNumber(place, 'Timeout', timeout, 1), MAX_TIMEOUT_MS);
			const query = readQuery(place, options.qs ?? {}, this.getTimezone());
			const call: Call = { method: 'GET', path: options.url ?? '', query, purpose, needs: 'the scope revenue:read' };
			const connection = await connect(this, transportOf(options), itemIndex, secretsOfRun(this.getExecuteData()));
			const ctx = requestContext(this, connection, retry, itemIndex, { signal: stopOrCancellation(stop, this) });
			return await fetch(this, place, ctx, call);
		};
		return await stopSiblingsOnFailure(
			this.getExecuteData(),
			itemIndex,
			async (stop) => await orErrorItem(this, itemIndex, async () => await work(stop)),
		);
	}
	return { pagination };
}

/** The settings of n8n's own Request Options that concern the connection. */
export function transportOf(options: DeclarativeRestApiSettings.HttpRequestOptions): Transport {
	const transport: Transport = {};
	if (options.proxy !== undefined) transport.proxy = options.proxy;
	if (options.allowedDomains !== undefined) transport.allowedDomains = options.allowedDomains;
	if (options.skipSslCertificateValidation === true) transport.skipSslCertificateValidation = true;
	return transport;
}

/**
 * All pages of a list, up to the node's Return All and Limit: an item per record, thinned out as they arrive, or one with a
 * file of them, whose default name is `name`.
 */
export function listOf(purpose: string, name: string, fields: RecordFields): IN8nRequestOperations {
	const simplified = Object.keys(fields).filter((name) => fields[name]);
	return operation(async (functions, place, ctx, call) => {
		const limit = readLimit(place, (name) => functions.getNodeParameter(name));
		const noticed = new Noticed('record', ', or narrow the dates under Filters');
		const get = (parameter: string) => functions.getNodeParameter(parameter, '');
		const thin = readOutput(place, { get, simplified, presence: noticed.presence });
		const file = readFileSettings(place, get, { name, columns: Object.keys(fields) });
		const repeats = new Repeats(idsOf, MAX_ITEMS_PER_INPUT);
		const list = (most: number) => pages(ctx, call, { limit: most });
		const items: INodeExecutionData[] = [];
		const listing = { list, limit, repeats, thin, file, narrower: NARROW_DATES };
		for await (const some of listedItems(functions, place, listing)) {
			for (const item of some) items.push(item);
			if (items.length > MAX_ITEMS_PER_INPUT) throw tooMany(place);
		}
		noticed.repeated = repeats.count;
		// n8n has no hints for declarative nodes (measured on 2.41.1 and 1.123.81).
		for (const message of noticed.messages())
			functions.logger.warn(ctx.connection.redact(`${place.node.name}: ${message}`));
		return items;
	}, purpose);
}

function idsOf(records: IDataObject[]): Array<string | undefined> {
	return records.map(({ id }) => (typeof id === 'string' ? id : undefined));
}

/** One object with at least the field `required`: an error page may be an object, too. */
export function objectOf(purpose: string, required: string): IN8nRequestOperations {
	return operation(async (_functions, place, ctx, call) => {
		const result = await request(ctx, call);
		if (typeof result.body !== 'object' || result.body === null || !(required in result.body)) {
			throw contractError(situationOf(ctx, call, result.attempts), result, `it has no "${required}"`);
		}
		return linkedItems([boundedObject(place, result.body as IDataObject, NARROW_DATES)], place.itemIndex);
	}, purpose);
}

function tooMany(place: Place): NodeOperationError {
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
