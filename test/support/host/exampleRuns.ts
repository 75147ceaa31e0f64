import type { IDataObject } from 'n8n-workflow';
import { until } from '../../../scripts/lib/until.ts';
import type { Credential, Execution, N8nSession } from '../../../scripts/n8n/session.ts';
import { outputItems } from '../../../scripts/n8n/session.ts';
import { HOST } from '../hostUnderTest.ts';
import type { TestOrganization } from '../service.ts';
import { control, organization } from '../service.ts';
import { describeUnless } from '../unless.ts';
import type { Edit } from './examples.ts';
import { tableRows, useExample } from './examples.ts';
import { N8nHost } from './n8nHost.ts';

/** The trigger of the examples that can be run by hand. */
export const BY_HAND = 'Run by hand';

/** A transaction as the nodes return it. */
export interface Transaction {
	id: string;
	lead_id: string | null;
	product_name: string;
	provider: string;
	amount: number;
	fee: number;
	net: number;
	occurred_at: string;
}

/** An example in the shared n8n, used by an organization of the sandbox. */
export class ExampleRuns {
	host!: N8nHost;
	org!: TestOrganization;
	credential!: Credential;

	constructor(private readonly file: string) {}

	get session(): N8nSession {
		return this.host.session;
	}

	/** Creates an organization; the example acts for it from now on. */
	async start(options: Parameters<typeof organization>[0]): Promise<void> {
		this.org = await organization(options);
		this.credential = await this.session.createCredential('examples', 'leadRevenueApi', this.org.credential);
	}

	/** Imports the example, or another one. Returns the workflow's id. */
	async use(edit?: Edit, file = this.file): Promise<string> {
		return (await useExample(this.session, file, this.credential, edit)).id;
	}

	/** The same, and runs it by hand. */
	async run(edit?: Edit, file?: string): Promise<{ id: string; execution: Execution }> {
		const id = await this.use(edit, file);
		return { id, execution: await this.again(id) };
	}

	/** Publishes an example and waits until what the trigger finds then is old: its first poll has ended when a second one comes. */
	async publish(id: string): Promise<void> {
		await this.session.publishWorkflow(id);
		await this.until(
			'a second poll',
			async () => (await this.org.journal()).filter(({ query }) => query.updated_since !== undefined).length > 1,
		);
	}

	/** Waits until a published example has done something. */
	async until(what: string, condition: () => Promise<boolean>): Promise<void> {
		await until(what, 300_000, condition);
	}

	/** Runs it by hand, to whatever end. */
	async byHand(id: string): Promise<Execution> {
		return await this.session.runWorkflow(id, BY_HAND);
	}

	async again(id: string): Promise<Execution> {
		const execution = await this.byHand(id);
		expect(execution.error).toBeUndefined();
		return execution;
	}

	/** Returns the leads of all tags that the service has added, in order. */
	async tagged(): Promise<string[]> {
		return (await control.tagApplications(this.org.id)).map(({ lead_id: lead }) => lead);
	}

	/** Returns the rows of one of n8n's data tables. */
	async rows(table: string): Promise<Array<Record<string, unknown>>> {
		return await tableRows(this.session, table);
	}
}

/** Tests of an example, imported into n8n and run: in n8n 2.x, and in 1.x if that has its versions of n8n's nodes. */
export function describeExample(file: string, tests: (runs: ExampleRuns) => void, { onN8n1 = false } = {}): void {
	const whyNot = HOST === 'n8n-2' || onN8n1 ? undefined : 'it is made for n8n 2.x';
	describeUnless(whyNot, `${file}, imported into n8n and run`, () => {
		const runs = new ExampleRuns(file);
		beforeAll(async () => {
			runs.host = N8nHost.shared();
		});
		tests(runs);
	});
}

/** Returns the items that a node returned. */
export const json = (execution: Execution, node: string): IDataObject[] =>
	outputItems(execution, node).map((item) => item.json);

/** Returns the text of the file that a node output. */
export async function fileOf(
	{ session }: N8nHost,
	execution: Execution,
	node: string,
): Promise<{ name: string | undefined; text: string }> {
	const file = outputItems(execution, node)[0]?.binary?.data;
	const address = `${session.url}/rest/binary-data?id=${encodeURIComponent(String(file?.id))}&action=download`;
	const response = await fetch(address, { headers: { cookie: session.cookies } });
	return { name: file?.fileName, text: await response.text() };
}
