import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import { PACKAGE } from '../lib/repository.ts';
import type { Execution, N8nSession } from '../n8n/session.ts';
import { outputItems } from '../n8n/session.ts';
import { chain, nodeOf, startNode } from '../n8n/workflows.ts';
import { expectedTypes } from '../verify/known.ts';
import type { LadderN8n } from './ladderN8n.ts';
import { Broken, none } from './outcome.ts';

/** More than two pages. */
const LEADS = 250;

/** n8n knows the nodes and the credentials. */
export async function loads({ session }: LadderN8n): Promise<void> {
	const expected = expectedTypes(PACKAGE);
	for (const kind of ['nodes', 'credentials'] as const) {
		const known = (await session.request('GET', `/types/${kind}.json`)) as Array<{ name: string }>;
		none(expected[kind].filter((name) => !known.some((type) => type.name === name)).map((name) => `no ${name}`));
	}
}

/** n8n's test of a credential tells a right key from a wrong one. */
export async function testsCredential(n8n: LadderN8n): Promise<void> {
	const { credential, organization } = await n8n.account();
	const test = async (apiKey: string) =>
		await n8n.session.testCredential(credential, { baseUrl: n8n.sandbox.url, apiKey });
	const [right, wrong] = [await test(organization.keys.full), await test(organization.keys.revoked)];
	if (right.status !== 'OK') throw new Broken(`the right key is rejected: ${right.message}`);
	if (wrong.status !== 'Error') throw new Broken('a revoked key is accepted');
}

export async function lists(n8n: LadderN8n): Promise<void> {
	const ids = new Set((await leadsOf(n8n, {})).map(({ json }) => json.id));
	if (ids.size !== LEADS) throw new Broken(`${ids.size} of ${LEADS} leads`);
}

export async function writesFile(n8n: LadderN8n): Promise<void> {
	const [item] = await leadsOf(n8n, { output: 'file', fileFormat: 'csv' });
	const [file] = Object.values(item?.binary ?? {});
	if (file === undefined) throw new Broken('no file');
	const lines = (await textOf(n8n.session, file)).trimEnd().split('\n').length;
	if (lines !== LEADS + 1) throw new Broken(`${lines} lines instead of ${LEADS + 1}`);
}

/** @throws Broken with the error of an execution that failed */
export function succeeded({ status, error }: Execution): void {
	if (status !== 'success') throw new Broken(error?.message ?? `the execution ended as ${status}`);
}

async function leadsOf(n8n: LadderN8n, parameters: Record<string, unknown>): Promise<INodeExecutionData[]> {
	const { credential } = await n8n.account({ leads: LEADS });
	const list = nodeOf('Leads', 'listLeads', credential, { operation: 'getMany', returnAll: true, ...parameters });
	const execution = await n8n.session.runNew(chain('leads', [startNode('manual'), list]));
	succeeded(execution);
	return outputItems(execution, 'Leads');
}

/** Returns the content of a file, in the item or where n8n keeps it. */
async function textOf({ url, cookies }: N8nSession, { id, data }: IBinaryData): Promise<string> {
	if (id === undefined) return Buffer.from(data, 'base64').toString();
	const response = await fetch(`${url}/rest/binary-data?id=${encodeURIComponent(id)}&action=download`, {
		headers: { cookie: cookies },
	});
	if (!response.ok) throw new Broken(`n8n responds with ${response.status} to the download of the file`);
	return await response.text();
}
