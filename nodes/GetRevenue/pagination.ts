import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodePropertyOptions,
} from 'n8n-workflow';
import { orErrorItem } from '../shared/items';
import { withOptional } from '../shared/parameters/itemParameters';
import { readNumber } from '../shared/parameters/read';
import { MAX_TIMEOUT_MS, readRetryOptions } from '../shared/parameters/retryOptions';
import type { Transport } from '../shared/service/connection/connection';
import { connect } from '../shared/service/connection/connection';
import type { Secrets } from '../shared/service/connection/secrets';
import { requestContext, stopOrCancellation } from '../shared/service/context';
import { readQuery } from './filters';
import type { RevenueOperation } from './operations/operation';
import { returnObject, returnRecords } from './returned';
import { stopSiblingsOnFailure } from './siblings';

/**
 * An operation as n8n's declarative engine takes it: n8n collects the query from the filters' `routing`, and this sends it. It
 * replaces n8n's own pagination, which ignores the limit, the request budget and item linking.
 */
export function declared({ name, value, action, description, call, returns }: RevenueOperation): INodePropertyOptions {
	async function pagination(
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		const itemIndex = this.getItemIndex();
		const parameters = withOptional({
			node: this.getNode(),
			itemIndex,
			evaluate: (text) => this.evaluateExpression(text, itemIndex),
			get: (parameter) => this.getNodeParameter(parameter, ''),
			zone: this.getTimezone(),
		});
		const work = async (stop: AbortSignal, secrets: Secrets) => {
			const retry = readRetryOptions(parameters);
			// n8n's own Request Options of a declarative node take precedence; their timeout is in milliseconds, 0 for none.
			// The editor takes any number: more than a day counts as a day.
			parameters.optional('Proxy', 'requestOptions.proxy');
			const timeout = parameters.optional('Timeout', 'requestOptions.timeout');
			if (timeout) retry.timeoutMs = Math.min(readNumber(parameters, 'Timeout', timeout, 1), MAX_TIMEOUT_MS);
			const queried = { ...call, query: readQuery(parameters, options.qs ?? {}) };
			const connected = async () => {
				const connection = await connect(this, transportOf(options), itemIndex, secrets);
				return requestContext(this, connection, retry, itemIndex, { signal: stopOrCancellation(stop, this) });
			};
			if ('list' in returns) return await returnRecords(this, parameters, returns.list, queried, connected);
			return await returnObject(await connected(), queried, returns.objectWith);
		};
		return await stopSiblingsOnFailure(
			this.getExecuteData(),
			itemIndex,
			async (stop, secrets) => await orErrorItem(this, itemIndex, async () => await work(stop, secrets)),
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
