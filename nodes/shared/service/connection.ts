import { hash } from 'node:crypto';
import type {
	IAdditionalCredentialOptions,
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import { ExpressionError, NodeOperationError } from 'n8n-workflow';
import { parseApiKey } from './apiKey';
import { parseBaseUrl } from './baseUrl';
import { Secrets } from './secrets';

/** The parts of n8n that can carry a request: those of actions, declarative actions, pickers and polls. */
export type ServiceFunctions = IExecuteFunctions | IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions;

/** What n8n's own "Request Options" of a declarative node say about the way there. */
export type Transport = Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation' | 'allowedDomains'>;

/** Where requests go and as whom. Holds the credential's secrets only inside its functions. */
export interface Connection {
	credentialType: string;
	baseUrl: string;
	/** Names the credential, whatever its fields come to for an item. */
	reference: string;
	/** Same for two connections when they have the same credential and address; stays the same when the key is replaced. */
	identity: string;
	/** Same for two connections when they share the service's request budgets, as far as n8n can tell. */
	budgetKey: string;
	/** Whether another item of the run may act for another organization: the credential has expressions. */
	variesByItem?: boolean;
	/** Whether n8n renews the credential's access token when a request throws on 401. */
	refreshable: boolean;
	transport: Transport;
	/**
	 * The credential as it was read. Without it n8n reads and decrypts the credential once more for each request (a fifth of
	 * what a request costs in a running n8n 2.41.1). It has no say over an OAuth2 credential, whose tokens change.
	 */
	alreadyRead(): IAdditionalCredentialOptions;
	/** Replaces every known secret of the credential, of at least `shortest` characters, that occurs in `text` in any form. */
	redact(text: string, shortest?: number): string;
	/** Reads the credential as it is now, and gets to know its secrets. */
	read(): Promise<ICredentialDataDecryptedObject>;
	/** Gets to know the secrets as they are now, after a renewal by this or another request. */
	learnSecrets(): Promise<void>;
}

function digestOf(...parts: string[]): string {
	return hash('sha256', parts.join('\n'), 'base64');
}

/**
 * Connects as the credential says; for the input item `itemIndex` where its fields are expressions. `secrets` are those of
 * the run's other connections: the service may give one item's key back to another.
 * @throws NodeOperationError when the credential cannot be used, or when an OAuth2 one is not connected.
 */
export async function connect(
	functions: ServiceFunctions,
	transport: Transport = {},
	itemIndex?: number,
	secrets = new Secrets(),
): Promise<Connection> {
	const node = functions.getNode();
	// Without expressions, so that no item is needed to read it; workflows from before there was a choice have none.
	const refreshable = node.parameters.authentication === 'oAuth2';
	const credentialType = refreshable ? 'leadRevenueOAuth2Api' : 'leadRevenueApi';
	const fail = (message: string, description: string) =>
		new NodeOperationError(node, message, { description, ...(itemIndex !== undefined && { itemIndex }) });
	const unusable = (field: string, problem: string) => {
		const expression =
			itemIndex === undefined ? 'there is no input item here for it to read' : 'check what it gives for this item';
		return fail(
			`The credential cannot be used: ${problem}`,
			`Open the credential in this node, correct the ${field} and save it. If it is an expression, ${expression}.`,
		);
	};
	const read = async () => {
		// Only nodes that execute ask for an item by its number; the other functions know theirs.
		const current = await (functions as IExecuteFunctions).getCredentials(credentialType, itemIndex);
		secrets.add(secretsOf(current));
		return current;
	};
	const credential = await read().catch((error: unknown) => {
		if (itemIndex !== undefined || !(error instanceof ExpressionError)) throw error;
		throw fail(
			`The credential cannot be used: an expression in it has no input item to read here (${error.message})`,
			'Triggers and lists run without items. Use a credential without such an expression, or choose the lead "By ID".',
		);
	});
	const baseUrl = parseBaseUrl(credential.baseUrl);
	if ('problem' in baseUrl) throw unusable('Base URL', baseUrl.problem);
	if (refreshable && credential.oauthTokenData === undefined) {
		throw fail(
			'The credential is not connected',
			'Open the credential in this node, press Connect and allow the access.',
		);
	}
	const apiKey = refreshable ? undefined : parseApiKey(credential.apiKey);
	if (apiKey !== undefined && 'problem' in apiKey) throw unusable('API Key', apiKey.problem);
	const { id, name } = node.credentials?.[credentialType] ?? {};
	const reference = `${credentialType}\n${id ?? name ?? ''}`;
	const identity = digestOf(reference, baseUrl.url);
	return {
		credentialType,
		baseUrl: baseUrl.url,
		reference,
		identity,
		// A budget is an API key's (API document, Limits). Access tokens change, and share one.
		budgetKey: apiKey === undefined ? identity : digestOf(identity, apiKey.key),
		refreshable,
		transport,
		alreadyRead: () => ({
			credentialsDecrypted: { id: id ?? '', name: name ?? '', type: credentialType, data: credential },
		}),
		redact: (text, shortest) => secrets.redact(text, shortest),
		read,
		learnSecrets: async () => {
			if (refreshable) await read();
		},
	};
}

function secretsOf({ apiKey, clientSecret, oauthTokenData }: ICredentialDataDecryptedObject): string[] {
	const tokens = typeof oauthTokenData === 'object' && oauthTokenData !== null ? Object.entries(oauthTokenData) : [];
	const key = typeof apiKey === 'number' ? String(apiKey) : apiKey;
	const candidates = [key, clientSecret, ...tokens.filter(([name]) => /token$/i.test(name)).map(([, value]) => value)];
	return candidates.filter((candidate): candidate is string => typeof candidate === 'string' && candidate !== '');
}
