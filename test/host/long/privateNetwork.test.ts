import { generateKeyPairSync } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { outputItems } from '../../../scripts/n8n/session.ts';
import { n8nNode, nodeOf } from '../../../scripts/n8n/workflows.ts';
import { parseCsv } from '../../support/files/csv.ts';
import { N8nHost } from '../../support/host/n8nHost.ts';
import type { Handler } from '../../support/host/privateNetwork.ts';
import { passedOnTo, PrivateNetwork } from '../../support/host/privateNetwork.ts';
import { fedChain } from '../../support/host/workflows.ts';
import { organization, sandboxUrl } from '../../support/service.ts';

/** What Google Drive got. */
const uploads: string[] = [];

const json = (body: object) => JSON.stringify(body);

/** Serves what an upload needs of Google (OAuth 2.0 for service accounts; Drive API, Upload file data). */
const google: Handler = (request, response) => {
	void text(request).then((body) => {
		const { pathname, searchParams } = new URL(request.url as string, 'https://www.googleapis.com');
		response.setHeader('Content-Type', 'application/json');
		if (pathname === '/token') return response.end(json({ access_token: 'token', expires_in: 3600 }));
		if (searchParams.get('uploadType') === 'resumable') {
			response.setHeader('Location', 'https://www.googleapis.com/resumed');
			return response.end('{}');
		}
		if (pathname === '/resumed') uploads.push(body);
		// Of two parts, the second is the file: n8n uploads so what it keeps in memory.
		if (searchParams.get('uploadType') === 'multipart') uploads.push(/.*\r\n\r\n(.*)\r\n--/s.exec(body)?.[1] ?? '');
		return response.end(json({ id: '1', name: 'leads.csv' }));
	});
};

let network: PrivateNetwork;
let host: N8nHost;
beforeAll(async () => {
	network = await PrivateNetwork.start({
		'service.example': passedOnTo(sandboxUrl),
		'oauth2.googleapis.com': google,
		'www.googleapis.com': google,
	});
	host = await N8nHost.start({ env: network.proxyAndAuthority });
});
afterAll(async () => {
	await host.end();
	await network.stop();
});

async function leadsNode(parameters: object = {}) {
	const { credential, ...org } = await organization({ leads: 250 });
	const own = await host.session.createCredential('private', 'leadRevenueApi', {
		...credential,
		baseUrl: 'https://service.example',
	});
	return { org, node: nodeOf('Leads', 'listLeads', own, { returnAll: true, ...parameters }) };
}

test('a service with a certificate of its own authority, behind a proxy', async () => {
	const { org, node } = await leadsNode();
	const execution = await host.session.runNew(fedChain('private', 'manual', [{}], [node]));
	expect(execution.error).toBeUndefined();
	expect(outputItems(execution, 'Leads')).toHaveLength(250);
	expect(await org.journal()).toHaveLength(3);
	expect(network.connected).toContain('service.example');
});

test('without NODE_EXTRA_CA_CERTS nothing is sent, and the error says why', async () => {
	const { org, node } = await leadsNode();
	const { id } = await host.session.createWorkflow(fedChain('private', 'manual', [{}], [node]));
	// With n8n's default expression engine, isolated-vm crashes in about 1 run in 20, after the run (2.41.1).
	const env = { ...network.proxy, N8N_EXPRESSION_ENGINE: 'legacy' };
	const { output } = await host.command(['execute', `--id=${id}`], env);
	expect(output).toContain('no secure connection to the service could be established');
	expect(output).toContain("Check that the service's certificate is trusted");
	expect(await org.journal()).toEqual([]);
});

test('Google Drive uploads the file of a list', async () => {
	const { node } = await leadsNode({ output: 'file' });
	const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
	const googleApi = await host.session.createCredential('google', 'googleApi', {
		region: 'us-central1',
		email: 'lists@example.iam.gserviceaccount.com',
		privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
	});
	const inList = (value: string) => ({ __rl: true, mode: 'list', value });
	const parameters = {
		authentication: 'serviceAccount',
		inputDataFieldName: 'data',
		driveId: inList('My Drive'),
		folderId: inList('root'),
	};
	const upload = n8nNode('Upload', 'googleDrive', 3, parameters, googleApi);
	const execution = await host.session.runNew(fedChain('drive', 'manual', [{}], [node, upload]));
	expect(execution.error).toBeUndefined();
	expect(uploads).toHaveLength(1);
	expect(Buffer.byteLength(uploads[0]!)).toBe(outputItems(execution, 'Leads')[0]?.json.bytes);
	expect(parseCsv(uploads[0]!)).toHaveLength(251);
});
