import { hash } from 'node:crypto';
import type {
	IAdditionalCredentialOptions,
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	INode,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
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
	/** Same for two connections when they share the service's request budgets, as far as n8n can tell. */
	budgetKey: string;
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

function identify(node: INode, credentialType: string, baseUrl: string): string {
	const reference = node.credentials?.[credentialType];
	return [credentialType, reference?.id ?? reference?.name ?? '', baseUrl].join('\n');
}

/** @throws NodeOperationError when the credential's Base URL cannot be used, or when an OAuth2 one is not connected. */
export async function connect(functions: ServiceFunctions, transport: Transport = {}): Promise<Connection> {
	const node = functions.getNode();
	// Without expressions, so that no item is needed to read it; workflows from before there was a choice have none.
	const refreshable = node.parameters.authentication === 'oAuth2';
	const credentialType = refreshable ? 'leadRevenueOAuth2Api' : 'leadRevenueApi';
	const secrets = new Secrets();
	const read = async () => {
		const current = await functions.getCredentials(credentialType);
		secrets.add(secretsOf(current));
		return current;
	};
	const credential = await read();
	const baseUrl = parseBaseUrl(credential.baseUrl);
	if ('problem' in baseUrl) {
		throw new NodeOperationError(node, `The credential cannot be used: ${baseUrl.problem}`, {
			description: 'Open the credential in this node, correct the Base URL and save it.',
		});
	}
	if (refreshable && credential.oauthTokenData === undefined) {
		throw new NodeOperationError(node, 'The credential is not connected', {
			description: 'Open the credential in this node, press Connect and allow the access.',
		});
	}
	const { id, name } = node.credentials?.[credentialType] ?? {};
	return {
		credentialType,
		baseUrl: baseUrl.url,
		budgetKey: hash('sha256', identify(node, credentialType, baseUrl.url), 'base64'),
		refreshable,
		transport,
		alreadyRead: () => ({ credentialsDecrypted: { id: id ?? '', name: name ?? '', type: credentialType, data: credential } }),
		redact: (text, shortest) => secrets.redact(text, shortest),
		read,
		learnSecrets: async () => {
			if (refreshable) await read();
		},
	};
}

/** The connection of a run with many items, whose credential n8n reads from its database once, and again after a failure. */
export function connectOnce(functions: ServiceFunctions): () => Promise<Connection> {
	let connection: Promise<Connection> | undefined;
	return async () => {
		connection ??= connect(functions);
		return await connection.catch((error: unknown) => {
			connection = undefined;
			throw error;
		});
	};
}

function secretsOf({ apiKey, clientSecret, oauthTokenData }: ICredentialDataDecryptedObject): string[] {
	const tokens = typeof oauthTokenData === 'object' && oauthTokenData !== null ? Object.entries(oauthTokenData) : [];
	const candidates = [apiKey, clientSecret, ...tokens.filter(([name]) => /token$/i.test(name)).map(([, value]) => value)];
	return candidates.filter((candidate): candidate is string => typeof candidate === 'string' && candidate !== '');
}
