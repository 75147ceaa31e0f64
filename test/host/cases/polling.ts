import { setTimeout as wait } from 'node:timers/promises';
import { ID_LENGTH } from '../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import type { Fault } from '../../../sandbox/src/client.ts';
import { until } from '../../../scripts/lib/until.ts';
import type { Credential } from '../../../scripts/n8n/session.ts';
import { POLL_EVERY_S } from '../../../scripts/n8n/workflows.ts';
import { randomFrom } from '../../simulation/random.ts';
import { N8nHost } from '../../support/host/n8nHost.ts';
import type { StoredWorkflow } from '../../support/host/polling.ts';
import { LEASES, ownClock, TRIGGER, WAYS_OF_SAVING } from '../../support/host/polling.ts';
import type { Running } from '../../support/host/pollingRun.ts';
import { A_FEW_POLLS_MS, nextPoll, pollsAfter, publishAnew, repeated, started } from '../../support/host/pollingRun.ts';
import { fingerprintOf } from '../../support/scripted/kind.ts';
import { SEED } from '../../support/seed.ts';
import { control } from '../../support/service.ts';
import type { Watched } from '../../support/watched.ts';

/** How often n8n is restarted, killed at random and killed between its two writes, each; TRIGGER_KILLS sets another number. */
const KILLS = Number(process.env.TRIGGER_KILLS ?? 1);
const POLL_MS = POLL_EVERY_S * 1_000;
const AFTER_A_REQUEST_MS = 2_000;

const random = randomFrom(SEED);

const FAULTS: Fault[] = [
	{ action: 'status', status: 503, probability: 0.1, times: -1 },
	{ action: 'status', status: 429, retry_after: 1, probability: 0.05, times: -1 },
	{ action: 'reset', when: 'after', probability: 0.1, times: -1 },
	{ action: 'truncate', bytes: 50, probability: 0.05, times: -1 },
	{ action: 'expire_cursor', probability: 0.1, times: -1 },
	{ action: 'duplicate_page', probability: 0.05, times: -1 },
];

/** Renames the trigger in the editor, and publishes. */
async function rename(host: N8nHost, { workflow }: Running, name: string): Promise<void> {
	const { nodes, connections, versionId } = await host.session.workflow(workflow.id);
	const [[from, links]] = Object.entries(connections) as [[string, unknown]];
	const renamed = nodes.map((node) => (node.name === from ? { ...node, name } : node));
	const body = { nodes: renamed, connections: { [name]: links }, versionId };
	await host.session.request('PATCH', `/rest/workflows/${workflow.id}`, body);
	await host.session.publishWorkflow(workflow.id);
}

/** Returns which of these ids the saved memory holds. */
function remembered({ stored }: Running, ids: string[]): Set<string> {
	const memory = String(stored.state().memory ?? '');
	const fingerprints = new Set<string>();
	for (let at = 0; at < memory.length; at += ID_LENGTH) fingerprints.add(memory.slice(at, at + ID_LENGTH));
	return new Set(ids.filter((id) => fingerprints.has(fingerprintOf({ id }).id)));
}

/** Resolves as soon as a poll has saved a state with more in its memory, which is when n8n may lose it. */
async function nextSave(running: Running): Promise<void> {
	const memory = running.stored.state().memory;
	await nextPoll(running, 5);
	const deadline = Date.now() + AFTER_A_REQUEST_MS;
	// Without a pause: the moment between n8n's two writes lasts milliseconds.
	while (running.stored.state().memory === memory && Date.now() < deadline);
}

/**
 * Starts n8n after a kill, and once more if it ends: n8n 2.41.1 does where the kill came after it had stored an execution and
 * before that began. It repairs the execution, which has no start, and then fails to count it ("reading 'getTime'").
 */
async function startAfterKill({ address: { userFolder } }: N8nHost, env: NodeJS.ProcessEnv): Promise<N8nHost> {
	return await N8nHost.start({ env, userFolder }).catch(async (error: Error) => {
		if (!error.message.includes("reading 'getTime'")) throw error;
		return await N8nHost.start({ env, userFolder });
	});
}

interface Polling {
	/** How n8n keeps the state; by default every way. */
	ways?: typeof WAYS_OF_SAVING;
	/** Only what the README promises, with one restart and one kill. */
	isShort?: boolean;
}

/** Bursts under faults, publishing, restarts and kills of a real n8n with a trigger. */
export function pollingOf(watched: Watched, { ways = WAYS_OF_SAVING, isShort = false }: Polling = {}): void {
	describe.each(ways)('with %s', (saving, switches) => {
		const clock = ownClock();
		const env = { ...LEASES, ...switches, ...clock.env };
		let host: N8nHost;
		beforeAll(async () => {
			host = await N8nHost.start({ env });
		});
		afterAll(async () => {
			await host.end();
			clock.remove();
		});

		/** Two polls later, exactly these records have arrived. */
		async function finish(running: Running, ids: string[], arrived: 'emitted' | 'done' = 'emitted') {
			await pollsAfter(running, 2);
			expect(running.stored[arrived]().sort()).toEqual(ids.sort());
			await host.session.deactivateWorkflow(running.workflow.id);
		}

		test('activation emits nothing old, then what is new arrives within a poll', async () => {
			const running = await started(host, { watched });
			await pollsAfter(running, 2);
			expect(running.stored.executions()).toEqual([]);
			expect(host.logs).toContain(`${TRIGGER} (${running.workflow.name}): The census begins`);
			const ids = await running.make(3);
			await running.stored.until('3 records', (now) => now.emitted().length >= 3, A_FEW_POLLS_MS);
			await finish(running, ids);
		});

		test("shut down cleanly and started again: nothing lost, and at most the last execution's records are repeated", async () => {
			const running = await started(host, { watched });
			const ids = await running.make(4);
			await running.stored.until('4 records', (now) => now.emitted().length >= 4, A_FEW_POLLS_MS);
			const last = await running.make(2);
			await running.stored.until('6 records', (now) => now.emitted().length >= 6, A_FEW_POLLS_MS);
			await pollsAfter(running, 1);
			await host.stop();
			host = await N8nHost.start({ env, userFolder: host.address.userFolder });
			if (saving !== 'durable cursors') {
				await running.stored.until('the last two again', (now) => now.emitted().length >= 8, A_FEW_POLLS_MS);
			}
			if (saving !== 'durable cursors' && !isShort) {
				// The activation has seen their execution end, and what it saved says so: the next restart repeats nothing.
				await pollsAfter(running, 1);
				await host.stop();
				host = await N8nHost.start({ env, userFolder: host.address.userFolder });
			}
			const more = await running.make(3);
			const again = saving === 'durable cursors' ? [] : last;
			const expected = [...ids, ...last, ...again, ...more];
			await running.stored.until('all records', (now) => now.emitted().length >= expected.length, A_FEW_POLLS_MS);
			await finish(running, expected);
		});

		/** When n8n is killed. Under durable cursors there is one write, so the kill comes after it. */
		const MOMENTS: Array<[string, (running: Running) => Promise<void>]> = [
			['at random moments', async () => await wait(random() * 1.5 * POLL_MS)],
			["between n8n's saving and storing", nextSave],
		];
		const kills = isShort ? 1 : KILLS;
		test.each(isShort ? MOMENTS.slice(1) : MOMENTS)(
			`killed ${kills} times %s: nothing lost, at most the last execution's records repeated`,
			async (when, moment) => {
				const running = await started(host, { watched });
				running.keepAlive = async () => {
					if (!host.isRunning) host = await startAfterKill(host, env);
				};
				const ids: string[] = [];
				const mayRepeat = new Set<string>();
				let between = 0;
				for (let kill = 0; kill < kills; kill++) {
					ids.push(...(await running.make(1 + Math.floor(random() * 150))));
					await moment(running);
					await host.kill9();
					const saved = remembered(running, ids);
					const emitted = running.stored.emitted();
					between += ids.some((id) => saved.has(id) && !emitted.includes(id)) ? 1 : 0;
					const unsaved = emitted.filter((id) => !saved.has(id));
					for (const id of [...(running.stored.executions().at(-1)?.emitted ?? []), ...unsaved]) mayRepeat.add(id);
					ids.push(...(await running.make(10)));
					host = await startAfterKill(host, env);
				}
				await until('all records', 600_000, async () => {
					await running.keepAlive?.();
					return new Set(running.stored.emitted()).size >= ids.length;
				}).catch(() => undefined);
				await pollsAfter(running, 2);
				const emitted = running.stored.emitted();
				const lost = ids.filter((id) => !emitted.includes(id));
				process.stdout.write(
					`${saving}: ${kills} kills ${when}, ${between} of them between n8n's two writes; ${ids.length} ${watched.source.kind.plural}, ${lost.length} lost, ${repeated(emitted).length} repeated\n`,
				);
				expect(lost).toEqual([]);
				expect(repeated(emitted).filter((id) => saving === 'durable cursors' || !mayRepeat.has(id))).toEqual([]);
				if (saving === 'durable cursors') expect(between).toBe(0);
				await host.session.deactivateWorkflow(running.workflow.id);
			},
		);

		if (isShort) return;

		test('500 records in bursts while the service fails at times: each reaches the next node once', async () => {
			const running = await started(host, { watched });
			await running.org.meets(...FAULTS);
			const ids: string[] = [];
			for (const burst of [1, 150, 3, 200, 21, 125]) {
				ids.push(...(await running.make(burst)));
				await wait(random() * POLL_MS);
			}
			// n8n backs off from failing polls under durable cursors: let it recover.
			await running.stored.until('500 records', (now) => now.emitted().length >= 400, 600_000);
			await control.clearFaults(running.org.id);
			await running.stored.until('500 records', (now) => now.emitted().length >= 500, 600_000);
			await finish(running, ids);
			expect(
				running.stored
					.executions()
					.flatMap(({ done }) => done)
					.sort(),
			).toEqual(ids.sort());
			expect((await running.org.journal()).filter(({ fault }) => fault !== undefined).length).toBeGreaterThan(0);
		});

		test('deactivated, reactivated and published again: no reset, no replay', async () => {
			const running = await started(host, { watched });
			const ids = await running.make(5);
			await running.stored.until('5 records', (now) => now.emitted().length >= 5, A_FEW_POLLS_MS);
			await host.session.deactivateWorkflow(running.workflow.id);
			ids.push(...(await running.make(4)));
			await host.session.publishWorkflow(running.workflow.id);
			await running.stored.until('9 records', (now) => now.emitted().length >= 9, A_FEW_POLLS_MS);
			ids.push(...(await running.make(3)));
			await publishAnew(host, running);
			await running.stored.until('12 records', (now) => now.emitted().length >= 12, A_FEW_POLLS_MS);
			await finish(running, ids);
		});

		test('published again while a poll is under way: nothing lost, nothing repeated', async () => {
			const running = await started(host, { watched });
			const ids = await running.make(3);
			await running.org.meets({ action: 'stall', ms: 3_000, then: 'respond' });
			await nextPoll(running);
			await publishAnew(host, running);
			await running.stored.until('3 records', (now) => new Set(now.emitted()).size >= 3, A_FEW_POLLS_MS);
			ids.push(...(await running.make(1)));
			await running.stored.until('4 records', (now) => new Set(now.emitted()).size >= 4, A_FEW_POLLS_MS);
			await finish(running, ids);
		});

		test.each<[string, Fault]>([
			['an outage', { action: 'status', status: 503, times: -1 }],
			['a reached rate limit', { action: 'status', status: 429, retry_after: 40, times: -1 }],
		])('published again during %s: stays active, and nothing is lost', async (_what, scripted) => {
			const running = await started(host, { watched });
			const ids = await running.make(2);
			await running.stored.until('2 records', (now) => now.emitted().length >= 2, A_FEW_POLLS_MS);
			await running.org.meets(scripted);
			ids.push(...(await running.make(2)));
			await publishAnew(host, running);
			await running.stored.until('active again', (now) => now.activation() === 'completed', A_FEW_POLLS_MS);
			await control.clearFaults(running.org.id);
			await running.stored.until('4 records', (now) => now.emitted().length >= 4, 120_000);
			expect(await host.session.workflow(running.workflow.id)).toMatchObject({ active: true });
			await finish(running, ids);
		});

		test(`shut down cleanly ${KILLS} times, each time ten minutes after an execution: nothing lost, nothing repeated`, async () => {
			const running = await started(host, { watched });
			const ids: string[] = [];
			for (let restart = 1; restart <= KILLS; restart++) {
				ids.push(...(await running.make(2)));
				const { length } = ids;
				await running.stored.until('the records', (now) => now.emitted().length >= length, A_FEW_POLLS_MS);
				await pollsAfter(running, 1);
				await host.stop();
				clock.setAhead(restart * 600_000);
				host = await N8nHost.start({ env, userFolder: host.address.userFolder });
				await pollsAfter(running, 2);
			}
			process.stdout.write(
				`${saving}: ${KILLS} clean restarts; ${ids.length} ${watched.source.kind.plural}, ${repeated(running.stored.emitted()).length} repeated\n`,
			);
			await finish(running, ids);
		});

		test('its credential gets a Base URL that does not respond, even as it is published, and the right one again: nothing is lost', async () => {
			const { session } = host;
			const running = await started(host, { watched });
			const { credential } = running.org;
			const { nodes } = await session.workflow(running.workflow.id);
			const { id } = nodes[0]?.credentials?.leadRevenueApi ?? {};
			const used = (await session.credentials()).find((one) => one.id === id) as Credential;
			await session.updateCredential(used, { ...credential, baseUrl: 'http://127.0.0.1:9' });
			const ids = await running.make(3);
			const hasFailed = (now: StoredWorkflow) => now.executions().some(({ status }) => status === 'error');
			await running.stored.until('a failed poll', hasFailed, A_FEW_POLLS_MS);
			await publishAnew(host, running);
			await running.stored.until('active again', (now) => now.activation() === 'completed', A_FEW_POLLS_MS);
			await session.updateCredential(used, credential);
			if (saving === 'durable cursors') running.stored.endBackoff();
			await running.stored.until('3 records', (now) => now.emitted().length >= 3, A_FEW_POLLS_MS);
			await finish(running, ids);
		});

		test('the node is renamed, and renamed back: nothing lost, nothing repeated', async () => {
			const running = await started(host, { watched });
			const ids = await running.make(4);
			await running.stored.until('4 records', (now) => now.done().length >= 4, A_FEW_POLLS_MS);
			for (const name of ['Payments', TRIGGER]) {
				ids.push(...(await running.make(4)));
				await rename(host, running, name);
				const { length } = ids;
				await running.stored.until('the records', (now) => now.done().length >= length, A_FEW_POLLS_MS);
			}
			await finish(running, ids, 'done');
		});
	});
}
