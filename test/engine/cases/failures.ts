import type { NodeApiError } from 'n8n-workflow';
import type { Fault, OrganizationOptions, Switches } from '../../../sandbox/src/client.ts';
import { ALL_RECORDS, sortedIds, startedTrigger, Trigger } from '../../support/engine/trigger.ts';
import { HAS_DURABLE_CURSORS, TELLS_POLL_BUDGET } from '../../support/engine/versions.ts';
import { timePassed } from '../../support/scripted/clock.ts';
import { storedCopy } from '../../support/scripted/storing.ts';
import { control, organization } from '../../support/service.ts';
import type { Watched } from '../../support/watched.ts';

/** Whether a request is not one of the census, which requests the whole list. */
export const isOfSweep = ({ query }: { query: Record<string, unknown> }) =>
	query.updated_since !== '1970-01-01T00:00:00.000Z';

export function failuresOf(watched: Watched): void {
	const { source, make } = watched;

	const ALWAYS = { times: -1 };

	const failureOf = async (polling: Promise<unknown>) =>
		await polling.then(
			() => {
				throw new Error('expected the poll to fail');
			},
			(error: NodeApiError) => error,
		);

	/** The lane stays closed for as long as the service said when it limited the rate. */
	function hoursLater(): void {
		timePassed(() => 3 * 3_600_000);
	}

	/** Returns a trigger that has polled once, and the ids of so many records that are new since. */
	async function started(count = 0, options: OrganizationOptions = {}) {
		const { org, trigger } = await startedTrigger(watched, {}, options);
		return { org, trigger, ids: await make(org, count) };
	}

	describe('a poll that fails', () => {
		const UNAVAILABLE = { cause: 'temporarily-unavailable' };
		const wait = (seconds: number) => ({ cause: 'rate-limited', retryAfterMs: seconds * 1_000 });
		const status = (code: number, more: object = {}): Fault => ({ action: 'status', status: code, ...more });

		test.each<[string, Fault, string | null, unknown]>([
			['a rate limit', status(429, { retry_after: 600 }), '429', wait(600)],
			['a rate limit in the header', status(429, { headers: { 'retry-after': '700' } }), '429', wait(700)],
			['a rate limit that resets in hours', status(429, { retry_after: 7_200 }), '429', wait(7_200)],
			['a revoked key', status(401), '401', { cause: 'credential-invalid' }],
			['a missing scope', status(403), '403', { cause: 'configuration-invalid' }],
			['a fault of the service', status(500), '500', UNAVAILABLE],
			['maintenance', status(503, { retry_after: 90 }), '503', { ...UNAVAILABLE, retryAfterMs: 90_000 }],
			['a broken connection', { action: 'reset', when: 'before' }, null, UNAVAILABLE],
			['a page that is cut off', { action: 'truncate', bytes: 5 }, null, UNAVAILABLE],
			['an address that is not found', status(404), '404', undefined],
			['a page without its data', { action: 'drop_field', path: 'data' }, '200', undefined],
			['a proxy’s page', { action: 'replace', body: '<html>', content_type: 'text/html' }, '200', undefined],
		])(
			'%s: keeps its HTTP code, tells n8n the cause where it is known, changes nothing, and loses nothing',
			async (_what, scripted, httpCode, failure) => {
				const { org, trigger, ids } = await started(3);
				const before = JSON.stringify(trigger.state);
				await org.meets({ ...scripted, ...ALWAYS });
				const error = await failureOf(trigger.poll());
				expect([error.name, error.httpCode, error.failure]).toEqual(['NodeApiError', httpCode, failure]);
				expect(JSON.stringify(trigger.state)).toBe(before);
				await control.clearFaults(org.id);
				hoursLater();
				expect(sortedIds(await trigger.poll())).toEqual(ids.sort());
			},
		);

		test('a reached daily rate limit: tells n8n when it resets, whether the poll meets it or knows it already', async () => {
			const { org, trigger: knowing } = await started();
			const meeting = new Trigger({ watched, ...org });
			await meeting.poll();
			await make(org, 250);
			await control.changeOrganization(org.id, { budgets: { enabled: true, day: 1 } });
			expect(await knowing.poll()).toHaveLength(100);
			for (const trigger of [knowing, meeting]) {
				const { failure } = await failureOf(trigger.poll());
				expect(failure).toEqual({ cause: 'rate-limited', retryAfterMs: expect.any(Number) });
				const { retryAfterMs = 0 } = failure as { retryAfterMs?: number };
				expect(retryAfterMs / 3_600_000).toBeCloseTo(24, 1);
			}
		});

		test('faults that pass within the attempts have no effect', async () => {
			const { org, trigger, ids } = await started(250);
			await org.meets(
				{ action: 'status', status: 503 },
				{ action: 'truncate', bytes: 40, match: { page: 2 } },
				{ action: 'reset', when: 'after', match: { page: 3 } },
				{ action: 'replace', body: '<html>', content_type: 'text/html', match: { page: 3 } },
			);
			expect(sortedIds(await trigger.poll())).toEqual(ids.sort());
		});

		test('after some pages, what is new so far arrives, and the next poll continues from there', async () => {
			const { org, trigger, ids } = await started(250);
			await org.meets({ action: 'status', status: 500, match: { page: 3 }, ...ALWAYS });
			const first = await trigger.poll();
			expect(first).toHaveLength(200);
			expect(trigger.log.join()).toContain('the next poll tries again');
			expect((await failureOf(trigger.poll())).httpCode).toBe('500');
			await control.clearFaults(org.id);
			await control.clearJournal(org.id);
			const second = await trigger.poll();
			expect((await org.journal()).filter(isOfSweep)).toHaveLength(1);
			expect(sortedIds([...first, ...second])).toEqual(ids.sort());
		});

		test.each<[what: string, rejection: Fault, switches?: Switches]>([
			['a cursor rejected with 400', { action: 'expire_cursor' }, { 'cursor-rejection': '400' }],
			['a cursor rejected with 404', { action: 'expire_cursor' }, { 'cursor-rejection': '404' }],
			['a cursor rejected with 409', { action: 'expire_cursor' }, { 'cursor-rejection': '409' }],
			// This is a rejection if all attempts get it, and the first page does not.
			['a cursor rejected with 500', { action: 'expire_cursor', times: 5 }, { 'cursor-rejection': '500' }],
			...[410, 412, 416, 419, 422, 498].map((code): [string, Fault] => [
				`a ${code}, which may mean the cursor`,
				status(code, { match: { page: 3 } }),
			]),
		])('%s: the sweep starts over, without repeating itself', async (_what, rejection, switches = {}) => {
			const { org, trigger, ids } = await started(250, { switches });
			await org.meets({ action: 'status', status: 500, match: { page: 3 }, ...ALWAYS });
			const first = await trigger.poll();
			await control.clearFaults(org.id);
			await org.meets(rejection);
			const second = await trigger.poll();
			expect(sortedIds([...first, ...second])).toEqual(ids.sort());
			expect(trigger.log.join()).toContain('the sweep under way: it starts over');
		});

		test('a list that never ends is an error, and recovers by itself', async () => {
			const { org, trigger, ids } = await started(250);
			await org.meets({ action: 'repeat_cursor', cycle: 1, ...ALWAYS });
			const polls = [await trigger.poll()];
			const error = await failureOf(trigger.poll());
			expect(error.message).toBe(
				`The service names a cursor that came back, so the list of ${source.kind.plural} might never end`,
			);
			expect(error.description).toContain('loses nothing meanwhile');
			expect(error.failure).toBeUndefined();
			await control.clearFaults(org.id);
			polls.push(...(await trigger.drain()));
			expect(sortedIds(polls.flat())).toEqual(ids.sort());
		});

		test.each<[string, Fault]>([
			['no next_cursor', { action: 'next_cursor', omit: true }],
			['no data', { action: 'drop_field', path: 'data' }],
		])('a response with %s does not count as a last page', async (_what, scripted) => {
			const { org, trigger, ids } = await started(150);
			await org.meets({ ...scripted, ...ALWAYS });
			expect((await failureOf(trigger.poll())).message).toContain('not as documented');
			await control.clearFaults(org.id);
			expect(sortedIds(await trigger.poll())).toEqual(ids.sort());
		});

		test('pages that are returned twice or in another order emit nothing twice', async () => {
			const { org, trigger, ids } = await started(250);
			await org.meets({ action: 'duplicate_page', match: { page: 2 } }, { action: 'reorder_page' });
			expect(sortedIds(await trigger.poll())).toEqual(ids.sort());
		});
	});

	describe('activation', () => {
		const PASSING: Array<[string, Fault]> = [
			['a reached rate limit', { action: 'status', status: 429, retry_after: 3_600, ...ALWAYS }],
			['an outage', { action: 'status', status: 503, ...ALWAYS }],
			['a broken connection', { action: 'reset', when: 'before', ...ALWAYS }],
		];

		test.each(PASSING)('is not prevented by %s, and what comes after it is not lost', async (_what, scripted) => {
			const org = await organization();
			await make(org, 1, watched.at('-1d'));
			await org.meets(scripted);
			const trigger = new Trigger({ ...org, watched });
			expect(await trigger.poll()).toEqual([]);
			const ids = await make(org, 2);
			await control.clearFaults(org.id);
			hoursLater();
			expect(sortedIds(await trigger.poll())).toEqual(ids.sort());
			expect(await trigger.poll()).toEqual([]);
		});

		test('is not prevented by a rate limit in the middle of the first sweep', async () => {
			const org = await organization();
			await make(org, 250);
			await org.meets({ action: 'status', status: 503, match: { page: 3 }, ...ALWAYS });
			const trigger = new Trigger({ ...org, watched });
			expect(await trigger.poll()).toEqual([]);
			const ids = await make(org, 2);
			await control.clearFaults(org.id);
			// The third page could no longer be taken as old.
			expect(sortedIds(await trigger.poll())).toEqual(expect.arrayContaining(ids));
			expect(await trigger.poll()).toEqual([]);
		});

		test.each(PASSING)(
			'of a workflow that ran before is not prevented by %s, which the next poll shows, and nothing is lost',
			async (_what, scripted) => {
				const { org, trigger, ids } = await started(3);
				await org.meets(scripted);
				const published = trigger.reloaded();
				expect(await published.poll()).toEqual([]);
				await failureOf(published.poll());
				await control.clearFaults(org.id);
				hoursLater();
				expect(sortedIds(await published.poll())).toEqual(ids.sort());
			},
		);

		test('is prevented by an unknown host name', async () => {
			const credential = { baseUrl: 'https://no-such-host.invalid', apiKey: 'k' };
			const trigger = new Trigger({ watched, credential });
			expect((await failureOf(trigger.poll())).message).toContain('host name could not be resolved');
			expect(trigger.state).toEqual({});
		});

		test.each<[string, number, string]>([
			['a wrong key', 401, 'rejected the API key'],
			['a missing scope', 403, `is not allowed to ${source.list.purpose}`],
			["an address that is not the service's", 404, 'did not find'],
		])('is prevented by %s', async (_what, status, message) => {
			const org = await organization({}, { action: 'status', status, ...ALWAYS });
			const trigger = new Trigger({ ...org, watched });
			expect((await failureOf(trigger.poll())).message).toContain(message);
			expect(trigger.state).toEqual({});
		});

		test('with a start date, an outage does not prevent it either', async () => {
			const org = await organization(watched.of(20), { action: 'status', status: 503, ...ALWAYS });
			const trigger = new Trigger({ watched, ...org, parameters: ALL_RECORDS });
			expect(await trigger.poll()).toEqual([]);
			await control.clearFaults(org.id);
			expect(await trigger.poll()).toHaveLength(20);
		});
	});

	describe('the time of a poll', () => {
		// n8n 1.x tells no poll how long it may take: there Timeout and Maximum Attempts limit the wait for a hanging service.
		const atMost = (budgetMs: number) =>
			TELLS_POLL_BUDGET ? { budgetMs } : { parameters: { options: { timeout: budgetMs / 1_000, maxAttempts: 1 } } };
		const AT_LEISURE = TELLS_POLL_BUDGET ? { budgetMs: 300_000 } : { parameters: {} };
		const STALLED_MS = 120_000;
		/** Before the service closes the connection: the poll ended first. */
		const SOONER_MS = 60_000;

		test('what is complete when it runs out arrives in time, the rest with the next poll', async () => {
			const { org, trigger, ids } = await started(300);
			await org.meets({ action: 'stall', ms: STALLED_MS, then: 'reset', match: { page: 3 }, ...ALWAYS });
			const hasty = trigger.reloaded(atMost(4_000));
			const begun = Date.now();
			const first = await hasty.poll();
			expect(Date.now() - begun).toBeLessThan(SOONER_MS);
			expect(first).toHaveLength(200);
			await control.clearFaults(org.id);
			expect(sortedIds([...first, ...(await hasty.reloaded(AT_LEISURE).poll())])).toEqual(ids.sort());
		});

		test('a service that hangs is an error in time, and nothing is lost', async () => {
			const { org, trigger } = await started();
			const hasty = trigger.reloaded(atMost(1_000));
			await hasty.poll();
			const ids = await make(org, 2);
			await org.meets({ action: 'stall', ms: STALLED_MS, then: 'reset', ...ALWAYS });
			const begun = Date.now();
			const error = await failureOf(hasty.poll());
			expect(Date.now() - begun).toBeLessThan(SOONER_MS);
			expect(error.name).toBe('NodeApiError');
			expect(error.message).toContain(
				TELLS_POLL_BUDGET ? 'within the 1 seconds of this poll' : 'did not respond in time',
			);
			expect(error.failure).toEqual({ cause: 'temporarily-unavailable' });
			await control.clearFaults(org.id);
			expect(sortedIds(await hasty.reloaded(AT_LEISURE).poll())).toEqual(ids.sort());
		});
	});

	describe('state', () => {
		test('of another credential or event does not count', async () => {
			const { trigger } = await started(3);
			for (const changes of [{ credentialId: 'other' }, { parameters: { event: source.events.newOrUpdated } }]) {
				const changed = trigger.reloaded(changes);
				expect(await changed.poll()).toEqual([]);
				expect(changed.state.identity).not.toBe(trigger.state.identity);
			}
		});

		test('of another Base URL does not count: an error that sends to the Base URL says how to lose nothing', async () => {
			const { org, trigger, ids } = await started(3);
			await org.meets({ action: 'status', status: 308, ...ALWAYS });
			const { description } = await failureOf(trigger.poll());
			// A trigger that has never started has nothing to lose.
			const unstarted = await failureOf(new Trigger({ watched, ...org }).poll());
			expect(unstarted.description).toMatch(/^The nodes do not follow redirects/);
			expect(description).toContain(
				`If you change the Base URL, this trigger starts over: to lose nothing, first set "Start From" to ${source.whereItWas}.`,
			);
			await control.clearFaults(org.id);
			const dated = trigger.reloaded({ parameters: ALL_RECORDS });
			expect(dated.state.identity).toBe(trigger.state.identity);
			const baseUrl = org.credential.baseUrl.replace('127.0.0.1', 'localhost');
			const moved = dated.reloaded({ credential: { ...org.credential, baseUrl } });
			expect(sortedIds((await moved.drain()).flat())).toEqual(ids.sort());
		});

		test.each(HAS_DURABLE_CURSORS ? [false, true] : [false])(
			'of another Base URL stays while the new one does not respond: the poll fails, and the old one continues (durable cursors: %s)',
			async (durable) => {
				const { org, trigger } = await startedTrigger(watched, { durable });
				const ids = await make(org, 1);
				const { credential } = org;
				const { baseUrl } = credential;
				for (const wrong of ['http://127.0.0.1:9', 'https://no-such-host.invalid']) {
					credential.baseUrl = wrong;
					await expect(trigger.poll()).rejects.toThrow(/could not be reached|could not be resolved/);
				}
				credential.baseUrl = baseUrl.replace('127.0.0.1', 'localhost');
				await org.meets({ action: 'status', status: 503, times: 5 });
				await expect(trigger.poll()).rejects.toThrow('503');
				await control.clearFaults(org.id);
				credential.baseUrl = baseUrl;
				expect(sortedIds(await trigger.poll())).toEqual(ids);
			},
		);

		test('that is damaged is an error that says how to start over, never a silent restart', async () => {
			const { trigger } = await started(1);
			const state = { ...trigger.state, memory: 'cut' };
			const key = `${source.stateKeyPrefix}trigger-under-test`;
			// Where it is now, and where earlier versions kept it.
			for (const staticData of [
				{ global: { [key]: state }, 'node:Transactions': {} },
				{ 'node:Transactions': state, global: {} },
			]) {
				const damaged = trigger.restarted({ staticData: storedCopy(staticData) });
				const error = await failureOf(damaged.poll());
				expect(error.message).toContain('The saved state of this trigger cannot be used: its memory is damaged');
				expect(error.description).toMatch(/^Nothing was changed\. To start over, duplicate this node/);
				expect(damaged.staticData).toEqual(staticData);
			}
		});

		test('holds no secret and no record', async () => {
			const { org, trigger } = await started();
			const [{ name, values }] = watched.fields;
			const [id] = await make(org, 1, { [name]: values[0] });
			await trigger.poll();
			const text = JSON.stringify(trigger.staticData);
			for (const secret of [org.credential.apiKey, org.credential.baseUrl, id as string, values[0]]) {
				expect(text).not.toContain(secret);
			}
		});
	});
}
