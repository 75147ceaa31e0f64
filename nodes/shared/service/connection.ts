import { createHash } from 'node:crypto';
import type {
	IExecuteFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	INode,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { parseBaseUrl } from './baseUrl';

/** The parts of n8n that can carry a request: those of actions, declarative actions, pickers and polls. */
export type ServiceFunctions = IExecuteFunctions | IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions;

/** What n8n's own "Request Options" of a declarative node say about the way there. */
export type Transport = Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation' | 'allowedDomains'>;

/** Where requests go and as whom. Holds the credential's secrets only inside `redact`. */
export interface Connection {
	credentialType: string;
	baseUrl: string;
	/** Same for two connections when they share the service's request budgets, as far as n8n can tell. */
	budgetKey: string;
	/** Whether n8n refreshes the credential when a request throws on 401. */
	refreshable: boolean;
	transport: Transport;
	/** Replaces every secret of the credential that occurs in `text`. */
	redact(text: string): string;
}

const CREDENTIAL_TYPE = 'leadRevenueApi';

function identify(node: INode, credentialType: string, baseUrl: string): string {
	const reference = node.credentials?.[credentialType];
	return [credentialType, reference?.id ?? reference?.name ?? '', baseUrl].join('\n');
}

/** @throws NodeOperationError when the credential's Base URL cannot be used. */
export async function connect(functions: ServiceFunctions, transport: Transport = {}): Promise<Connection> {
	const node = functions.getNode();
	const credential = await functions.getCredentials(CREDENTIAL_TYPE);
	const baseUrl = parseBaseUrl(credential.baseUrl);
	if ('problem' in baseUrl) {
		throw new NodeOperationError(node, `The credential cannot be used: ${baseUrl.problem}`, {
			description: 'Open the credential in this node, correct the Base URL and save it.',
		});
	}
	const secrets = [credential.apiKey].filter((secret): secret is string => typeof secret === 'string' && secret !== '');
	return {
		credentialType: CREDENTIAL_TYPE,
		baseUrl: baseUrl.url,
		budgetKey: createHash('sha256').update(identify(node, CREDENTIAL_TYPE, baseUrl.url)).digest('base64'),
		refreshable: false,
		transport,
		redact: (text) => secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '***'), text),
	};
}
