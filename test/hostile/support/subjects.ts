import { CredentialTestContext } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { credentialTests } from '../../../nodes/shared/service/credentialTest.ts';
import { byId } from '../../../scripts/n8n/workflows.ts';
import type { NodeRun } from '../../support/engine/runNode.ts';
import { filterValues, runNode, searchLeads } from '../../support/engine/runNode.ts';
import { Trigger } from '../../support/engine/trigger.ts';
import { draft } from '../../support/engine/writes.ts';
import type { HostileServer, Script } from './hostileServer.ts';
import { everythingOf, KEY, leakIn } from './leaks.ts';
import { takeLogs } from './n8nLogs.ts';

export interface AttackEnd {
	/** The error shown to the user; `undefined` on success. */
	error?: unknown;
	/** The error's message and description. */
	errorText: string;
	items: unknown[];
	/** Everything that may be stored, shown or logged. */
	visible: unknown[];
	/** Other faults found. */
	wrong: string[];
	heads: string[];
	/** Whether it timed out. */
	timedOut: boolean;
}

type Ended = Pick<AttackEnd, 'error' | 'items' | 'visible'> & { wrong?: string[]; verdict?: string };

/** A part of the package that sends requests, run against a hostile service. */
export interface Subject {
	name: string;
	isWrite?: boolean;
	attack(server: HostileServer, script: Script, limits?: Limits): Promise<AttackEnd>;
}

export interface Limits {
	maxAttempts?: number;
	/**
	 * Whether the service stalls, so that the subject must time out. Otherwise its timeout is long, because a busy machine
	 * looks like a slow service.
	 */
	stalls?: boolean;
}

/** Timeout, in seconds. */
const timeoutFor = ({ stalls = false }: Limits) => (stalls ? 1 : 600);

/** Time for one poll, in milliseconds. */
const SHORT_POLL_MS = 2_500;
// Differs from what n8n gives a poll without a measured time (300 s), so it counts as a time from n8n's scheduler.
const LONG_POLL_MS = 240_000;

// Read before the tests replace the global setTimeout.
const { setTimeout: afterwards } = globalThis;

/** An attack that takes longer than this counts as endless: many times what the slowest takes on a busy machine. */
const FOREVER_MS = 240_000;
const TIMED_OUT = /did not respond in time|within the \d+ seconds of this poll/;

const apiKey = (baseUrl: string) => ({ baseUrl, apiKey: KEY });

const oAuth2 = (baseUrl: string) => ({
	baseUrl,
	grantType: 'authorizationCode',
	clientId: 'client',
	clientSecret: `client-${KEY}`,
	accessTokenUrl: `${baseUrl}/token`,
	authUrl: `${baseUrl}/authorize`,
	scope: 'revenue:read',
	authentication: 'header',
	oauthTokenData: { access_token: KEY, refresh_token: `refresh-${KEY}`, token_type: 'Bearer' },
});

function failure(error: unknown): string[] {
	if (error === undefined) return [];
	const { name, message, description } = error as { name?: string; message?: string; description?: string };
	if (name !== 'NodeApiError' && name !== 'NodeOperationError') {
		return [`an error that is not n8n's: ${String(name)}: ${String(message)}`];
	}
	if (!message) return ['an error without a message'];
	return description ? [] : [`an error without a next step: ${message}`];
}

const outcomeOf = async (work: Promise<unknown[]>): Promise<{ items: unknown[]; error: unknown }> =>
	await work.then(
		(items) => ({ items, error: undefined }),
		(error: unknown) => ({ items: [], error }),
	);

type Work = (baseUrl: string, change: (script: Script) => void) => Promise<Ended>;

async function withinReason(work: Promise<Ended>): Promise<Ended> {
	let timer: NodeJS.Timeout | undefined;
	const never = new Promise<Ended>((resolve) => {
		timer = afterwards(
			() => resolve({ items: [], visible: [], wrong: [`has not ended after ${FOREVER_MS / 1_000} s`] }),
			FOREVER_MS,
		);
	});
	return await Promise.race([work, never]).finally(() => clearTimeout(timer));
}

async function watched(
	server: HostileServer,
	script: Script,
	{ stalls = false }: Limits,
	work: Work,
): Promise<AttackEnd> {
	const { baseUrl, heads, change } = server.serve(script);
	const { wrong = [], verdict = '', ...ended } = await withinReason(work(baseUrl, change));
	const { message = '', description = '' } = (ended.error ?? {}) as { message?: string; description?: string };
	const timedOut = TIMED_OUT.test(message) || TIMED_OUT.test(verdict);
	// Of attacks in parallel, the first to end gets the log lines of all.
	const logs = takeLogs();
	const leak = leakIn([...ended.visible, ...logs].map(everythingOf).join('\n'), KEY);
	return {
		...ended,
		errorText: `${message} ${description}`,
		heads,
		timedOut,
		wrong: [
			...wrong,
			...failure(ended.error),
			...(timedOut && !stalls ? ['timed out although the response was complete'] : []),
			...(leak === undefined ? [] : [`the key shows: ${leak}`]),
		],
	};
}

function node(name: string, type: string, parameters: INodeParameters, more: Partial<NodeRun> = {}): Subject {
	return {
		name,
		attack: async (server, script, limits = {}) =>
			await watched(server, script, limits, async (baseUrl) => {
				const { maxAttempts = 1 } = limits;
				const authentication = parameters.authentication === 'oAuth2' ? oAuth2 : apiKey;
				const { items, error, run } = await runNode({
					type,
					credential: authentication(baseUrl),
					...more,
					parameters: { ...parameters, options: { maxAttempts, timeout: timeoutFor(limits), maxWait: 0 } },
				});
				return { items, error, visible: [items, error, run.data] };
			}),
	};
}

const page = (...transactions: IDataObject[]) => JSON.stringify({ data: transactions, next_cursor: null });

export const response = (body: string | Buffer, { status = '200 OK', headers = [] as string[] } = {}): Buffer =>
	Buffer.concat([
		Buffer.from(
			`HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`,
			'latin1',
		),
		Buffer.from(body),
	]);

/** Polls until the new transaction arrives. Returns why it did not; `undefined` too when the trigger waits for the rate limit. */
async function untilItArrives(poller: Trigger): Promise<string | undefined> {
	let last = '';
	for (let attempt = 0; attempt < 5; attempt++) {
		try {
			const transactions = await poller.poll();
			if (transactions.some(({ id }) => id === 'after-the-attack')) return undefined;
			last = JSON.stringify(transactions).slice(0, 300);
		} catch (error) {
			last = String(error);
			if (last.includes('rate limit is ')) return undefined;
		}
	}
	return last;
}

/**
 * Polls a working service, a hostile one, and a working one with a new transaction. A failed poll must leave the state
 * unchanged, and the new transaction must arrive.
 */
const trigger: Subject = {
	name: 'Transaction Trigger',
	attack: async (server, script, limits = {}) =>
		await watched(
			server,
			() => [response(page({ id: 'before' }))],
			limits,
			async (baseUrl, change) => {
				const { maxAttempts = 1, stalls = false } = limits;
				const withTimeout = (timeout: number) => ({
					startFrom: 'date',
					startDate: '2026-01-01',
					options: { maxAttempts, timeout, maxWait: 0 },
				});
				const patiently = { parameters: withTimeout(timeoutFor({})), budgetMs: LONG_POLL_MS };
				const first = new Trigger({ ...patiently, credential: apiKey(baseUrl) });
				await first.poll();
				const poller = stalls
					? first.reloaded({ parameters: withTimeout(timeoutFor(limits)), budgetMs: SHORT_POLL_MS })
					: first;
				const before = JSON.stringify(poller.state);
				change(script);
				const hostile = await outcomeOf(poller.poll());
				const hasChanged = JSON.stringify(poller.state) !== before;
				const wrong = hostile.error !== undefined && hasChanged ? ['a failed poll changed the state'] : [];
				const visible: unknown[] = [hostile.error, hostile.items, [...poller.log], poller.state];
				change(() => [response(page({ id: 'after-the-attack' }))]);
				const unfinished = await untilItArrives(stalls ? poller.reloaded(patiently) : poller);
				if (unfinished !== undefined) wrong.push(`after the attack: ${unfinished}`);
				return { ...hostile, visible, wrong };
			},
		),
};

/** Returns a list that the editor asks for. */
const list = (name: string, ask: (credential: ReturnType<typeof apiKey>) => Promise<unknown[]>): Subject => ({
	name,
	attack: async (server, script, limits = {}) =>
		await watched(server, script, limits, async (baseUrl) => {
			const outcome = await outcomeOf(ask(apiKey(baseUrl)));
			return { ...outcome, visible: [outcome.items, outcome.error] };
		}),
});

export const picker = list('Lead picker', async (credential) => {
	return (await searchLeads(credential)).results;
});

const filters = list('Values of a filter', async (credential) => {
	return (await filterValues(['status'], credential)).flat();
});

/** Returns a result instead of an error. Its status is "OK" only for a page. */
const credentialTest: Subject = {
	name: 'Credential test',
	attack: async (server, script, limits = {}) =>
		await watched(server, script, limits, async (baseUrl) => {
			const context = new CredentialTestContext({} as never);
			const credential = { id: '1', name: 'Test', type: 'leadRevenueApi', data: apiKey(baseUrl) };
			try {
				const result = await credentialTests.leadRevenueApiTest.call(context as never, credential as never);
				const wrong =
					result.message.length < 10 || result.message.length > 1_000
						? [`a verdict of ${result.message.length} characters`]
						: [];
				return { items: result.status === 'OK' ? [result] : [], visible: [result], wrong, verdict: result.message };
			} catch (error) {
				return { items: [], visible: [error], wrong: [`the credential test threw ${String(error)}`] };
			}
		}),
};

export const reads: Subject[] = [
	node('List Leads', 'listLeads', { returnAll: true }),
	node('Get Revenue: Summary', 'getRevenue', { operation: 'getSummary' }),
	node('Get Revenue: Transactions', 'getRevenue', { operation: 'getTransactions', returnAll: true }),
	node('Get Revenue: Manual Records', 'getRevenue', { operation: 'getManualRecords', returnAll: false, limit: 5 }),
	node('List Leads with OAuth2', 'listLeads', { returnAll: true, authentication: 'oAuth2' }),
];

export const writes: Subject[] = [
	{ ...node('Tag Lead', 'tagLead', { lead: byId('lead_1'), tagId: 7 }), isWrite: true },
	{ ...node('Create Keyword Automation', 'createKeywordAutomation', draft), isWrite: true },
];

/** Subjects without a Timeout option. */
export const patient: Subject[] = [picker, credentialTest, filters];

export const hurried: Subject[] = [...reads, ...writes, trigger];
