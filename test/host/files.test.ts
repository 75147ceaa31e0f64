import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import type { Credential, WorkflowNode } from '../../scripts/n8n/session.ts';
import { outputItems } from '../../scripts/n8n/session.ts';
import { n8nNode, nodeOf } from '../../scripts/n8n/workflows.ts';
import { TOOL_WAYS } from '../support/agents/toolWays.ts';
import { parseCsv } from '../support/files/csv.ts';
import type { UploadTarget } from '../support/files/uploadTargets.ts';
import { httpTarget, s3Target, sftpTarget } from '../support/files/uploadTargets.ts';
import { N8nHost } from '../support/host/n8nHost.ts';
import { fedChain } from '../support/host/workflows.ts';
import type { TestOrganization } from '../support/service.ts';
import { organization, records } from '../support/service.ts';

const host = N8nHost.shared();
let org: TestOrganization;
let credential: Credential;
beforeAll(async () => {
	org = await organization({ leads: 350, transactions: 120, manual_records: 120 });
	credential = await host.session.createCredential('files', 'leadRevenueApi', org.credential);
});

const leads = (parameters: IDataObject = {}) =>
	nodeOf('Leads', 'listLeads', credential, { returnAll: true, output: 'file', ...parameters });

async function run(nodes: WorkflowNode[]) {
	const execution = await host.session.runNew(fedChain('files', 'manual', [{}], nodes));
	expect(execution.error).toBeUndefined();
	return (name: string) => outputItems(execution, name);
}

describe('the next step takes the file', () => {
	const extract = (operation: string) => n8nNode('Read', 'extractFromFile', 1, { operation, options: {} });

	test('Extract From CSV reads it', async () => {
		const list = await records<IDataObject>(org.credential, '/v1/leads/');
		const outputs = await run([leads({ fileOptions: { keepFormulas: true } }), extract('csv')]);
		// It leaves out empty cells.
		const asText = (lead: IDataObject) =>
			Object.fromEntries(Object.entries(lead).filter(([, value]) => value !== null));
		expect(outputs('Read').map(({ json }) => json)).toEqual(list.map(asText));
	});

	test('Extract From JSON and Extract From Text File read JSON and JSON Lines', async () => {
		const list = await records<IDataObject>(org.credential, '/v1/leads/');
		const json = await run([leads({ fileFormat: 'json' }), extract('fromJson')]);
		expect(json('Read').map(({ json: { data } }) => data)).toEqual([list]);

		const lines = await run([leads({ fileFormat: 'jsonl' }), extract('text')]);
		const content = (lines('Read')[0]?.json.data as string).trimEnd().split('\n');
		expect(content.map((line) => JSON.parse(line) as unknown)).toEqual(list);
	});

	test('Write File to Disk writes it', async () => {
		const fileName = path.join(host.filesFolder, 'leads.csv');
		const outputs = await run([
			leads(),
			n8nNode('Write', 'readWriteFile', 1, { operation: 'write', fileName, options: {} }),
		]);
		const written = await readFile(fileName, 'utf8');
		expect(Buffer.byteLength(written)).toBe(outputs('Leads')[0]?.json.bytes);
		expect(parseCsv(written)).toHaveLength(351);
	});

	describe('uploads it', () => {
		let target: UploadTarget;
		afterEach(() => target.close());

		const fileOptions = { binaryPropertyName: 'list' };

		async function uploaded(upload: WorkflowNode, list = leads({ fileOptions }), lines = 351): Promise<string> {
			const outputs = await run([list, upload]);
			expect(target.uploads.size).toBe(1);
			const [content = ''] = target.uploads.values();
			expect(Buffer.byteLength(content)).toBe(outputs(list.name)[0]?.json.bytes);
			expect(parseCsv(content)).toHaveLength(lines);
			return [...target.uploads.keys()].join();
		}

		test('HTTP Request', async () => {
			target = await httpTarget(({ url, body }, uploads) => {
				uploads.set(url.pathname, body);
				return { body: '{}' };
			});
			const url = `http://127.0.0.1:${target.port}/records`;
			const parameters = { method: 'PUT', url, sendBody: true, contentType: 'binaryData', inputDataFieldName: 'list' };
			const manualRecords = { operation: 'getManualRecords', returnAll: true, output: 'file', fileOptions };
			const records = nodeOf('Records', 'getRevenue', credential, manualRecords);
			expect(await uploaded(n8nNode('Upload', 'httpRequest', 4.2, parameters), records, 121)).toBe('/records');
		});

		test('AWS S3', async () => {
			target = await s3Target();
			const aws = await host.session.createCredential('s3', 'aws', {
				region: 'eu-west-1',
				accessKeyId: 'id',
				secretAccessKey: 'secret',
				customEndpoints: true,
				s3Endpoint: `http://127.0.0.1:${target.port}`,
			});
			// n8n looks for a bucket without a dot at a host of its own.
			const bucket = { bucketName: 'example.lists', fileName: 'leads.csv' };
			const parameters = { ...bucket, operation: 'upload', binaryData: true, binaryPropertyName: 'list' };
			expect(await uploaded(n8nNode('Upload', 'awsS3', 2, parameters, aws))).toBe('/example.lists/leads.csv');
		});

		test('FTP, over SFTP', async () => {
			target = await sftpTarget();
			const { port } = target;
			const login = { host: '127.0.0.1', port, username: 'user', password: 'password' };
			const sftp = await host.session.createCredential('sftp', 'sftp', login);
			const file = { operation: 'upload', path: '/leads.csv', binaryData: true, binaryPropertyName: 'list' };
			expect(await uploaded(n8nNode('Upload', 'ftp', 1, { protocol: 'sftp', ...file }, sftp))).toBe('/leads.csv');
		});
	});
});

test('a list that breaks off fails the execution, and its item has no file', async () => {
	const broken = await organization({ leads: 350 });
	await broken.meets({ action: 'status', status: 400, match: { page: 3 } });
	const own = await host.session.createCredential('broken', 'leadRevenueApi', broken.credential);
	const node = nodeOf('Leads', 'listLeads', own, { returnAll: true, output: 'file' });
	const execution = await host.session.runNew(fedChain('broken', 'manual', [{}], [node]));
	expect(execution.error?.message).toContain('(page 3, after 200 records had been read)');
	expect(JSON.stringify(execution.runData.Leads)).not.toContain('fileName');
});

test.each(TOOL_WAYS)('a tool gives no file: $name', async (way) => {
	const before = (await org.journal()).length;
	const tool = nodeOf('Leads', 'listLeadsTool', credential, { returnAll: true, output: 'file' });
	const { results } = await way.call(host, [tool], [[{ name: 'Leads', arguments: {} }]]);
	if (way.onError === 'text') expect(results.join()).toContain('cannot be File in a tool of an AI agent');
	expect((await org.journal()).length).toBe(before);
});
