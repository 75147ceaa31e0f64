import type {
	IAdditionalCredentialOptions,
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import { ExpressionError } from 'n8n-workflow';
import { wholeDigestOf } from '../../digest';
import { operationError } from '../../errorText';
import { isObject } from '../../isObject';
import { readChoice } from '../../parameters/read';
import { isEditorList } from '../context';
import { parseApiKey, parseBaseUrl } from './credentialFields';
import { Secrets } from './secrets';

/** n8n's functions for the input items of an action, or of a declarative one. */
export type ItemFunctions = IExecuteFunctions | IExecuteSingleFunctions;

/** n8n's functions that can carry a request, also for pickers and polls. */
export type ServiceFunctions = ItemFunctions | ILoadOptionsFunctions | IPollFunctions;

/** The connection settings among the "Request Options" that n8n adds to a declarative node. */
export type Transport = Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation' | 'allowedDomains'>;

/** The address and the credential of requests. Only its functions know the secrets. */
export interface Connection {
	credentialType: string;
	baseUrl: string;
	/** A text that identifies the credential. It is the same for all items, even with expressions, and after a new API key. */
	reference: string;
	/** A digest that identifies the organization in every n8n; `undefined` if all items of a run act for one. */
	target?: string | undefined;
	/** A text that is equal for two connections if they share the service's rate limits, as far as n8n can tell. */
	rateLimitKey: string;
	/** Whether n8n renews the credential's access token when a request throws on 401. */
	isRefreshable: boolean;
	transport: Transport;
	/**
	 * Returns the credential, so that n8n need not read and decrypt it again for each request (a fifth of a request's cost in n8n
	 * 2.41.1). n8n ignores it for OAuth2, whose tokens change.
	 */
	alreadyRead(): IAdditionalCredentialOptions;
	/** Replaces every known secret in `text`, in all its forms. A secret shorter than `shortest` characters (8 at most) stays. */
	redact(text: string, shortest?: number): string;
	/**
	 * Reads the credential again, because a request may have renewed its token, and learns its secrets.
	 * @throws NodeOperationError when the Base URL has changed: the token of another service must not go to this one.
	 */
	read(): Promise<ICredentialDataDecryptedObject>;
}

interface ConnectOptions {
	/** The input item for the expressions in the credential. */
	itemIndex?: number;
	/** The index that n8n gets instead of `itemIndex` (see `connectionsOf`). */
	indexForN8n?: number;
	/** The secrets of the run's other connections: the service may return one item's API key to another item. */
	secrets?: Secrets;
	transport?: Transport;
}

/** @throws NodeOperationError when the credential cannot be used, or when an OAuth2 credential is not connected. */
export async function connect(
	functions: ServiceFunctions,
	{ itemIndex, indexForN8n = itemIndex, secrets = new Secrets(), transport = {} }: ConnectOptions = {},
): Promise<Connection> {
	const node = functions.getNode();
	// The parameter takes no expressions, so it is read without an item. Older workflows do not have it.
	const { authentication = 'apiKey' } = node.parameters;
	const place = { node, itemIndex: itemIndex ?? 0 };
	const isRefreshable = readChoice(place, 'Authentication', authentication, ['apiKey', 'oAuth2']) === 'oAuth2';
	const credentialType = isRefreshable ? 'leadRevenueOAuth2Api' : 'leadRevenueApi';
	const fail = (message: string, description: string) =>
		operationError(node, message, { description, ...(itemIndex !== undefined && { itemIndex }) });
	const unusable = (field: string, problem: string) => {
		const expression =
			itemIndex === undefined ? 'there is no input item here for it to read' : 'check what it returns for this item';
		const next = `Open the credential in this node, correct the ${field} and save it. If it is an expression, ${expression}.`;
		return fail(`The credential cannot be used: ${problem}`, next);
	};
	const read = async () => {
		// Only the functions of execute() take an item's index; the others know theirs.
		const current = await (functions as IExecuteFunctions).getCredentials(credentialType, indexForN8n);
		secrets.add(secretsOf(current));
		return current;
	};
	const credential = await read().catch((error: unknown) => {
		if (!(error instanceof ExpressionError)) throw error;
		if (itemIndex !== undefined) {
			error.context.isOfCredential = true;
			throw error;
		}
		const instead = isEditorList(functions) ? ', or enter the value "By ID" or as an expression' : '';
		const next = `Triggers and lists run without items. Use a credential without such an expression${instead}.`;
		const problem = `an expression in it has no input item to read here (${error.message})`;
		throw fail(`The credential cannot be used: ${problem}`, next);
	});
	const baseUrl = parseBaseUrl(credential.baseUrl);
	if ('problem' in baseUrl) throw unusable('Base URL', baseUrl.problem);
	if (isRefreshable && !hasAccessToken(credential)) {
		const next = 'Open the credential in this node, press Connect and allow the access.';
		throw fail('The credential is not connected', next);
	}
	const apiKey = isRefreshable ? undefined : parseApiKey(credential.apiKey);
	if (apiKey !== undefined && 'problem' in apiKey) throw unusable('API Key', apiKey.problem);
	const { id, name } = node.credentials?.[credentialType] ?? {};
	const reference = `${credentialType}\n${id ?? name ?? ''}`;
	return {
		credentialType,
		baseUrl: baseUrl.url,
		reference,
		target: wholeDigestOf(baseUrl.url, apiKey?.key ?? ''),
		// Each API key has its own rate limits (API document, Limits). The access tokens of a credential change, and share theirs.
		rateLimitKey: wholeDigestOf(apiKey?.key ?? reference, baseUrl.url),
		isRefreshable,
		transport,
		alreadyRead: () => ({
			credentialsDecrypted: { id: id ?? '', name: name ?? '', type: credentialType, data: credential },
		}),
		redact: (text, shortest) => secrets.redact(text, shortest),
		read: async () => {
			const current = await read();
			if (current.baseUrl === credential.baseUrl) return current;
			const next = 'The access token may belong to another service now. Check the Base URL in the credential.';
			throw fail('The Base URL was changed during the run', next);
		},
	};
}

/** n8n gives `{}` for the tokens of a credential that was never connected (read in n8n 1.123.81 and 2.41.1). */
function hasAccessToken({ oauthTokenData }: ICredentialDataDecryptedObject): boolean {
	return isObject(oauthTokenData) && Boolean(oauthTokenData.access_token || oauthTokenData.accessToken);
}

function secretsOf({ apiKey, clientSecret, oauthTokenData }: ICredentialDataDecryptedObject): string[] {
	const tokens = Object.entries((oauthTokenData ?? {}) as object).filter(([name]) => /token$/i.test(name));
	const values = [apiKey, clientSecret, ...tokens.map(([, value]) => value as unknown)];
	const candidates = values.map((value) => (typeof value === 'number' ? String(value) : value));
	return candidates.filter((candidate): candidate is string => typeof candidate === 'string');
}
