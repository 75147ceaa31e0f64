import { table } from '../scripts/lib/table.ts';
import type { Execution, Workflow } from '../scripts/n8n/session.ts';
import { outputItems } from '../scripts/n8n/session.ts';
import type { Organization } from '../sandbox/src/client.ts';
import type { Bench } from './bench.ts';
import { seconds, target } from './measure.ts';
import { withHttpRequest, withListLeads } from './workflows.ts';

const PAGE = 100;
const MINUTE_MS = 60_000;
const SHORT_MINUTE_MS = 2_000;

// n8n's maximum for Settings, Retry On Fail (editor of 2.41.1, and WorkflowExecute, which caps higher values).
const RETRY = { retryOnFail: true, maxTries: 5, waitBetweenTries: 5_000 };

type Make = (bench: Bench, organization: Organization) => Promise<Workflow>;

const listLeads: Make = async (bench, organization) => withListLeads((await bench.credentialsFor(organization)).own);
const httpRequest =
	(options: Parameters<typeof withHttpRequest>[2] = {}): Make =>
	async (bench, organization) =>
		withHttpRequest((await bench.credentialsFor(organization)).bearer, bench.sandbox.url, options);

const WAYS: Record<string, Make> = {
	'List Leads': listLeads,
	'HTTP Request': httpRequest(),
	'HTTP Request, Retry On Fail 5 × 5 s': httpRequest({ settings: RETRY }),
	'HTTP Request, an interval of 400 ms': httpRequest({ intervalMs: 400 }),
	'HTTP Request, an interval of 500 ms': httpRequest({ intervalMs: 500 }),
	'HTTP Request, an interval of 1,000 ms': httpRequest({ intervalMs: 1_000 }),
};

/** How many leads are read, and by how many workflows at once with the same key. */
interface Scene {
	title: string;
	leads: number;
	workflows: number;
	/** Length of a minute of the budget. */
	minuteMs: number;
	ways: string[];
}

// n8n's own waits do not shrink with the minute, so this scene leaves out the ways that use them.
const SHORT: Scene = {
	title: `30,000 leads, with minutes of ${SHORT_MINUTE_MS / 1_000} s`,
	leads: 30_000,
	workflows: 1,
	minuteMs: SHORT_MINUTE_MS,
	ways: ['List Leads', 'HTTP Request'],
};

const SCENES: Scene[] = [
	{ title: '30,000 leads', leads: 30_000, workflows: 1, minuteMs: MINUTE_MS, ways: Object.keys(WAYS).slice(0, 5) },
	{
		title: '10,000 leads, which one minute has room for',
		leads: 10_000,
		workflows: 1,
		minuteMs: MINUTE_MS,
		ways: ['List Leads', 'HTTP Request', 'HTTP Request, an interval of 500 ms'],
	},
	{
		title: '10,000 leads by each of two workflows at once, with one key',
		leads: 10_000,
		workflows: 2,
		minuteMs: MINUTE_MS,
		ways: [
			'List Leads',
			'HTTP Request',
			'HTTP Request, an interval of 500 ms',
			'HTTP Request, an interval of 1,000 ms',
		],
	},
];

interface Outcome {
	sent: number;
	refused: number;
	/** Requests without any lead in the output; includes the refused ones. */
	wasted: number;
	leads: number;
	windows: number;
	seconds: number;
	end: string;
}

type Played = Scene & { outcomes: Outcome[] };

/** Plays all scenes and ways at the same time, each with its own organization: nearly all of it is waiting. */
async function play(bench: Bench, scenes: Scene[]): Promise<Played[]> {
	return await Promise.all(
		scenes.map(async (scene) => ({
			...scene,
			outcomes: await Promise.all(scene.ways.map(async (way) => await run(bench, scene, WAYS[way] as Make))),
		})),
	);
}

/** Lists under the documented budget of 120 reads a minute: with a short minute first, then with its 60 s. */
export async function benchBudget(bench: Bench): Promise<void> {
	process.stdout.write('\nUnder the documented budget of 120 reads a minute: about 3 minutes\n');
	for (const { title, ways, outcomes } of [...(await play(bench, [SHORT])), ...(await play(bench, SCENES))]) {
		const rows = ways.map((way, index) => {
			const { sent, refused, wasted, leads, seconds: took, end } = outcomes[index] as Outcome;
			return [way, ...[sent, refused, wasted].map(String), leads.toLocaleString('en'), seconds(took), end];
		});
		process.stdout.write(
			`\n${title}\n${table(['way', 'requests', 'refused', 'wasted', 'leads', 'time', 'outcome'], rows)}\n`,
		);
		const ours = outcomes[ways.indexOf('List Leads')] as Outcome;
		process.stdout.write(
			`${target('List Leads refused requests per minute of budget', ours.refused / ours.windows, { most: 1 })}\n`,
		);
		process.stdout.write(`${target('List Leads requests wasted besides', ours.wasted - ours.refused, { most: 0 })}\n`);
	}
}

async function run(bench: Bench, { leads, workflows, minuteMs }: Scene, make: Make): Promise<Outcome> {
	const { control } = bench.sandbox;
	const organization = await control.createOrganization({
		leads,
		transactions: 0,
		manual_records: 0,
		budgets: { enabled: true, minute: `${minuteMs}ms` },
	});
	const ids = await Promise.all(
		Array.from({ length: workflows }, async () => await bench.save(await make(bench, organization))),
	);
	const executions = await Promise.all(ids.map(async (id) => await bench.execute(id)));
	const journal = await control.journal(organization.id);
	const refused = journal.filter(({ status }) => status === 429).length;
	const got = executions.reduce((sum, execution) => sum + outputItems(execution, 'Leads').length, 0);
	const between =
		Math.max(...executions.map(({ stoppedAt }) => stoppedAt)) -
		Math.min(...executions.map(({ startedAt }) => startedAt));
	return {
		sent: journal.length,
		refused,
		wasted: journal.length - got / PAGE,
		leads: got,
		windows: Math.ceil(
			(Date.parse(journal.at(-1)?.at as string) - Date.parse(journal[0]?.at as string) + 1) / minuteMs,
		),
		seconds: between / 1_000,
		end: outcomeOf(executions),
	};
}

function outcomeOf(executions: Execution[]): string {
	const failed = executions.find(({ status }) => status !== 'success');
	if (failed === undefined) return 'complete';
	return `failed: ${failed.error?.message ?? failed.status}`;
}
