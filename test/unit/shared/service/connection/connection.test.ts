import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { ExpressionError } from 'n8n-workflow';
import { connect } from '../../../../../nodes/shared/service/connection/connection.ts';

interface World {
	parameters?: INodeParameters;
	/** What the node says about its credentials. */
	references?: object;
	credential?: IDataObject;
	transport?: object;
	itemIndex?: number;
}

const BASE_URL = 'https://api.example.com/';

function connecting({ parameters = {}, references, credential = {}, transport, itemIndex }: World = {}) {
	const reads: string[] = [];
	const data: IDataObject = { baseUrl: BASE_URL, apiKey: 'k', ...credential };
	const functions = {
		getNode: () => ({ name: 'Node', type: 'node', parameters, credentials: references }),
		getCredentials: async (type: string) => {
			reads.push(type);
			return { ...data };
		},
	};
	const connected = connect(functions as never, { transport, ...(itemIndex !== undefined && { itemIndex }) });
	return { connected, reads, data };
}

const oAuth2 = { parameters: { authentication: 'oAuth2' }, credential: { oauthTokenData: { access_token: 'at' } } };

describe('the credential', () => {
	test.each([
		[{}, 'leadRevenueApi', false],
		[{ authentication: 'apiKey' }, 'leadRevenueApi', false],
		[{ authentication: 'oAuth2' }, 'leadRevenueOAuth2Api', true],
	])('with the parameters %j is a %s', async (parameters, credentialType, isRefreshable) => {
		const { connected, reads } = connecting({ parameters, credential: oAuth2.credential });
		const expected = { credentialType, isRefreshable, baseUrl: 'https://api.example.com', transport: {} };
		await expect(connected).resolves.toMatchObject(expected);
		expect(reads).toEqual([credentialType]);
	});

	test('is handed on to n8n as it was read', async () => {
		const references = { leadRevenueApi: { id: '7', name: 'Mine' } };
		const { connected, data } = connecting({ references, credential: { apiKey: 'k' } });
		expect((await connected).alreadyRead()).toEqual({
			credentialsDecrypted: { id: '7', name: 'Mine', type: 'leadRevenueApi', data },
		});
		const unnamed = await connecting().connected;
		expect(unnamed.alreadyRead()).toMatchObject({ credentialsDecrypted: { id: '', name: '' } });
	});

	test('with a Base URL that cannot be used is an error that says what to do', async () => {
		await expect(connecting({ credential: { baseUrl: 'http://api.example.com' } }).connected).rejects.toMatchObject({
			message: expect.stringMatching(/^The credential cannot be used: Base URL is not https/),
			description: expect.stringContaining('correct the Base URL'),
		});
	});

	test.each<[unknown, string]>([
		[undefined, 'API Key is empty. Enter the key of your organization'],
		[null, 'API Key is empty. Enter the key of your organization'],
		[' \n', 'API Key is empty. Enter the key of your organization'],
		[{ key: 'k' }, 'API Key is not text. Enter the key of your organization'],
		[true, 'API Key is not text. Enter the key of your organization'],
	])('with the API Key %p is an error that says what to do, and for which item', async (apiKey, problem) => {
		const world: World = { credential: { apiKey } as never };
		await expect(connecting(world).connected).rejects.toMatchObject({
			message: `The credential cannot be used: ${problem}`,
			description:
				'Open the credential in this node, correct the API Key and save it. If it is an expression, there is no input item here for it to read.',
			context: expect.not.objectContaining({ itemIndex: expect.anything() }),
		});
		const description = expect.stringMatching(/If it is an expression, check what it returns for this item\.$/);
		const context = { itemIndex: 3 };
		await expect(connecting({ ...world, itemIndex: 3 }).connected).rejects.toMatchObject({ description, context });
	});

	test('that cannot be evaluated without an item is an error that says so; with an item n8n’s own says more', async () => {
		const getNode = () => ({ name: 'Node', type: 'node', parameters: {} });
		const failing = (error: Error) => ({ getNode, getCredentials: async () => await Promise.reject(error) }) as never;
		const functions = failing(new ExpressionError('no data'));
		const message = 'The credential cannot be used: an expression in it has no input item to read here (no data)';
		const description = expect.stringContaining('without such an expression');
		await expect(connect(functions)).rejects.toMatchObject({ name: 'NodeOperationError', message, description });
		await expect(connect(functions, { itemIndex: 0 })).rejects.toThrow(new ExpressionError('no data'));
		const locked = new Error('the database is locked');
		await expect(connect(failing(locked))).rejects.toBe(locked);
	});

	test('may have a number for a key, which is a secret as well', async () => {
		const connection = await connecting({ credential: { apiKey: 1234567890 } }).connected;
		expect(connection.redact('1234567890')).toBe('***');
	});

	test('that is not connected is an error that says what to do; one with a key need not be', async () => {
		for (const oauthTokenData of [undefined, null, 'text', {}, { access_token: '' }, { refresh_token: 'rt' }]) {
			const world = { ...oAuth2, credential: { oauthTokenData } } as World;
			const message = 'The credential is not connected';
			const description = expect.stringContaining('press Connect');
			await expect(connecting(world).connected).rejects.toMatchObject({ message, description });
		}
		await expect(connecting().connected).resolves.toBeDefined();
		// n8n takes a token of either name.
		const renamed = { ...oAuth2, credential: { oauthTokenData: { accessToken: 'at' } } } as World;
		await expect(connecting(renamed).connected).resolves.toBeDefined();
	});

	test('goes the way the user set for the node', async () => {
		const transport = { proxy: { host: 'proxy', port: 1 } };
		await expect(connecting({ transport }).connected).resolves.toMatchObject({ transport });
	});
});

describe('the rate limit', () => {
	const keyOf = async (world: World) => (await connecting(world).connected).rateLimitKey;
	const referring = (reference: object): World => ({ references: { leadRevenueApi: reference } });

	test('is shared by nodes with the same key, whatever their credentials are called, as the service counts', async () => {
		const key = await keyOf(referring({ id: '7', name: 'Mine' }));
		for (const reference of [{ id: '7', name: 'Renamed' }, { id: '8' }, { name: 'Yours' }]) {
			expect(await keyOf(referring(reference))).toBe(key);
		}
		expect(key).not.toContain(BASE_URL);
	});

	test('is another for another key or address, and for another OAuth2 credential', async () => {
		const connected = (reference: object): World => ({ ...oAuth2, references: { leadRevenueOAuth2Api: reference } });
		const elsewhere = { baseUrl: 'https://other.example.com' };
		const worlds = [
			{},
			...[elsewhere, { apiKey: 'another' }].map((credential) => ({ credential })),
			...[{ id: '7' }, { id: '8' }, { name: 'Mine' }, { name: 'Yours' }].map(connected),
			{ ...connected({ id: '7' }), credential: { ...oAuth2.credential, ...elsewhere } },
		];
		const keys = await Promise.all(worlds.map(keyOf));
		expect(new Set(keys).size).toBe(8);
	});

	test('is the same for a key with white space around it, and after an access token was renewed', async () => {
		expect(await keyOf({ credential: { apiKey: ' k\n' } })).toBe(await keyOf({}));
		const renewed = { oauthTokenData: { access_token: 'new' } };
		expect(await keyOf({ ...oAuth2, credential: renewed })).toBe(await keyOf(oAuth2));
	});

	test('is no part of the reference, which the state of a trigger has from earlier versions: it outlives the key', async () => {
		for (const apiKey of ['one', 'another']) {
			const { connected } = connecting({ ...referring({ id: '7' }), credential: { apiKey } });
			await expect(connected).resolves.toMatchObject({ reference: 'leadRevenueApi\n7' });
		}
	});
});

describe('secrets', () => {
	const notSecret = { token_type: 'bearer-x', scope: 'revenue:read', expires_in: 3600 };
	const tokens = { access_token: 'at-1234567', refreshToken: 'rt-1234567', ...notSecret };

	test('are the key, the client secret and every token, and nothing else', async () => {
		const client = { clientSecret: 'cs-1234567', clientId: 'ci-1234567' };
		const credential = { apiKey: 'ak-1234567', ...client, oauthTokenData: tokens };
		const { redact } = await connecting({ ...oAuth2, credential }).connected;
		expect(redact('ak-1234567 cs-1234567 at-1234567 rt-1234567')).toBe('*** *** *** ***');
		expect(redact('ci-1234567 bearer-x revenue:read 3600')).toBe('ci-1234567 bearer-x revenue:read 3600');
		const short = await connecting({ credential: { apiKey: 'ak-1234' } }).connected;
		expect([short.redact('ak-1234'), short.redact('ak-1234', 8)]).toEqual(['***', 'ak-1234']);
	});

	test('may be tokens of digits that the token server returns without quotes', async () => {
		const tokensOfDigits = { access_token: 123_456_789_012, refresh_token: 87_654_321 };
		const numbers = { clientSecret: 55_667_788, oauthTokenData: tokensOfDigits } as never;
		const { redact } = await connecting({ ...oAuth2, credential: numbers }).connected;
		expect(redact('123456789012 87654321 55667788')).toBe('*** *** ***');
	});

	test.each([null, 'text', 7])('may have no tokens: %p', async (oauthTokenData) => {
		const credential = { apiKey: 'k-1234567', clientSecret: null, oauthTokenData } as never;
		expect((await connecting({ credential }).connected).redact('a text, 7')).toBe('a text, 7');
	});

	test('are learnt anew after a renewal, and those from before stay known', async () => {
		const credential = { apiKey: undefined, oauthTokenData: tokens };
		const { connected, reads, data } = connecting({ ...oAuth2, credential });
		const connection = await connected;
		Object.assign(data, { oauthTokenData: { access_token: 'at-7654321' } });
		expect(connection.redact('at-7654321 undefined')).toBe('at-7654321 undefined');
		await connection.read();
		expect(connection.redact('at-7654321 at-1234567')).toBe('*** ***');
		expect(reads).toEqual(['leadRevenueOAuth2Api', 'leadRevenueOAuth2Api']);
	});

	test('are learnt and not handed out once the Base URL is another: they may belong to another service', async () => {
		const { connected, data } = connecting({ ...oAuth2, credential: { oauthTokenData: tokens } });
		const connection = await connected;
		Object.assign(data, { baseUrl: 'https://other.example.com', oauthTokenData: { access_token: 'at-7654321' } });
		const message = 'The Base URL was changed during the run';
		const description = expect.stringContaining('Check the Base URL');
		await expect(connection.read()).rejects.toMatchObject({ message, description });
		expect(connection.redact('at-7654321')).toBe('***');
	});
});
