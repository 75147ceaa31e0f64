import { ALL_RECORDS, sortedIds, startedTrigger, Trigger } from '../support/engine/trigger.ts';
import type { TestOrganization } from '../support/service.ts';
import { control, organization, records, withoutBackoff } from '../support/service.ts';
import { WATCHED } from '../support/watched.ts';

withoutBackoff();

describe.each(WATCHED)('$name', (watched) => {
	const { source, make, change } = watched;
	const { plural } = source.kind;
	const [pending, completed, refunded] = watched.statuses;
	const [second, third] = watched.fields;
	const [first, other, last] = second.values;

	const listed = async ({ credential }: TestOrganization) => await records<unknown>(credential, source.list.path, 100);

	describe('new records', () => {
		test('activation emits nothing old; then each record arrives once, as the service returns it', async () => {
			const org = await organization(watched.of(30));
			const trigger = new Trigger({ ...org, watched });
			expect(await trigger.poll()).toEqual([]);
			expect(await trigger.poll()).toEqual([]);
			await make(org, 3);
			const arrived = await trigger.poll();
			expect(arrived).toHaveLength(3);
			expect(await listed(org)).toEqual(expect.arrayContaining(arrived));
			expect(await trigger.poll()).toEqual([]);
		});

		test('what was created just before the activation is old, what is created right after it is new', async () => {
			const org = await organization();
			await make(org, 5);
			const trigger = new Trigger({ ...org, watched });
			expect(await trigger.poll()).toEqual([]);
			const ids = await make(org, 2);
			expect(sortedIds(await trigger.poll())).toEqual(ids.sort());
		});

		test('an idle poll is exactly one request', async () => {
			const org = await organization(watched.of(300));
			const trigger = new Trigger({ ...org, watched });
			// The census takes the second one.
			for (let polls = 0; polls < 3; polls++) await trigger.poll();
			await control.clearJournal(org.id);
			await trigger.poll();
			const journal = await org.journal();
			expect(journal).toHaveLength(1);
			const query = { page_size: '100', updated_since: expect.any(String) };
			expect(journal[0]).toMatchObject({ path: source.list.path, query });
		});

		test('an update is not new', async () => {
			const { org, trigger } = await startedTrigger(watched);
			const [id] = await make(org, 1);
			await trigger.poll();
			await change(org, id as string, { status: refunded });
			expect(await trigger.poll()).toEqual([]);
		});

		test('what becomes visible late, or has an old date, arrives', async () => {
			const { org, trigger } = await startedTrigger(watched);
			const [late] = await make(org, 1, { ...watched.at('-4m'), visible_at: '1h' });
			const [old] = await make(org, 1, watched.dated('-300d'));
			expect(sortedIds(await trigger.poll())).toEqual([old]);
			await change(org, late as string, { ...watched.at('-4m'), visible_at: '-1s' });
			expect(sortedIds(await trigger.poll())).toEqual([late]);
		});

		test('with Start From: A Date, everything since then arrives first', async () => {
			const org = await organization();
			await make(org, 3, watched.at('2026-01-10T00:00:00Z'));
			const since = await make(org, 150, watched.at('2026-01-20T11:00:00Z'));
			// Noon in Berlin is 11:00 UTC: the bound itself counts.
			const parameters = { startFrom: 'date', startDate: '2026-01-20T12:00:00' };
			const trigger = new Trigger({ watched, ...org, parameters });
			expect(sortedIds(await trigger.poll())).toEqual(since.sort());
			expect(await trigger.poll()).toEqual([]);
			await make(org, 1);
			expect(await trigger.poll()).toHaveLength(1);
		});
	});

	test('new or updated records: each says which it is, and only a change of content emits it again', async () => {
		const { org, trigger } = await startedTrigger(watched, { parameters: { event: source.events.newOrUpdated } });
		const [id] = await make(org, 1, { status: pending });
		expect(await trigger.poll()).toMatchObject([{ id, status: pending, event: 'new' }]);
		await change(org, id as string, { status: completed });
		expect(await trigger.poll()).toMatchObject([{ id, status: completed, event: 'updated' }]);
		await change(org, id as string, { updated_at: '0s' });
		expect(await trigger.poll()).toEqual([]);
	});

	describe('fields to watch', () => {
		const watching = (...fieldsToWatch: string[]) => ({ event: source.events.newOrUpdated, fieldsToWatch });

		test('only a change of those arrives, and names what changed since the last one', async () => {
			const { org, trigger } = await startedTrigger(watched, { parameters: watching('status') });
			const [id] = await make(org, 1, { status: pending, [second.name]: first });
			const [arrived] = await trigger.poll();
			expect(arrived).toMatchObject({ id, event: 'new' });
			expect(arrived).not.toHaveProperty('changedFields');
			await change(org, id as string, { [second.name]: other });
			expect(await trigger.poll()).toEqual([]);
			await change(org, id as string, { status: completed });
			expect(await trigger.poll()).toMatchObject([
				{ id, status: completed, event: 'updated', changedFields: [second.name, 'status'] },
			]);
			await change(org, id as string, { status: refunded });
			expect(await trigger.poll()).toMatchObject([{ status: refunded, changedFields: ['status'] }]);
			expect(await trigger.poll()).toEqual([]);
		});

		test('of what the census learned, a change arrives with its names', async () => {
			const org = await organization();
			const [id] = await make(org, 1, { status: pending, [second.name]: first, ...watched.at('-30d') });
			const trigger = new Trigger({ watched, ...org, parameters: watching('status') });
			for (let polls = 0; polls < 3; polls++) expect(await trigger.poll()).toEqual([]);
			await change(org, id as string, { [second.name]: other });
			expect(await trigger.poll()).toEqual([]);
			await change(org, id as string, { status: completed });
			expect(await trigger.poll()).toMatchObject([{ id, event: 'updated', changedFields: [second.name, 'status'] }]);
		});

		test('other fields, or none any more, report nothing by themselves', async () => {
			const org = await organization();
			let trigger = new Trigger({ watched, ...org, parameters: watching() });
			await trigger.poll();
			const [id] = await make(org, 1, { status: pending, [second.name]: first, [third.name]: third.values[0] });
			expect(await trigger.poll()).toHaveLength(1);
			const changed = async (more: object) => await change(org, id as string, more);
			const choose = async (...fields: string[]) => {
				trigger = trigger.reloaded({ parameters: watching(...fields) });
				expect(await trigger.poll()).toEqual([]);
			};
			await choose('status');
			await changed({ [second.name]: other });
			expect(await trigger.poll()).toEqual([]);
			await choose(second.name);
			await changed({ [third.name]: third.values[1] });
			expect(await trigger.poll()).toEqual([]);
			await changed({ [second.name]: last });
			expect(await trigger.poll()).toMatchObject([{ event: 'updated', changedFields: [third.name, second.name] }]);
			await choose();
			await changed({ [third.name]: third.values[2] });
			expect(await trigger.poll()).toMatchObject([{ event: 'updated', changedFields: [third.name] }]);
		});

		test('a restart repeats a change without the names, because its receiver may not have the one before', async () => {
			const { org, trigger } = await startedTrigger(watched, { parameters: watching('status') });
			const [id] = await make(org, 1, { status: pending });
			await trigger.poll();
			await change(org, id as string, { status: completed });
			expect(await trigger.poll()).toHaveLength(1);
			const [again] = await trigger.restarted().poll();
			expect(again).toMatchObject({ id, status: completed, event: 'updated' });
			expect(again).not.toHaveProperty('changedFields');
		});
	});

	describe('another key in the same credential', () => {
		/** Returns a trigger that has seen the organization's records, and what it does with another key. */
		async function seen() {
			const { org, trigger } = await startedTrigger(watched, {}, watched.of(3));
			await trigger.poll();
			return { org, trigger };
		}

		test('of the same organization: continues from where it was', async () => {
			const { org, trigger } = await seen();
			const ids = await make(org, 2);
			const { key: apiKey } = await control.createKey(org.id, { scopes: ['revenue:read'] });
			const renewed = trigger.reloaded({ credential: { ...org.credential, apiKey } });
			expect(sortedIds(await renewed.poll())).toEqual(ids.sort());
		});

		// No response says which organization a key acts for.
		test('of another organization: continues as well, so what changes there arrives as new; another credential starts over', async () => {
			const { trigger } = await seen();
			const other = await organization();
			const [old] = await make(other, 1);
			const { credential } = other;
			// In another process: this one knows which state is the later one.
			const starting = trigger.restarted({ credential, credentialId: 'of the other organization' });
			expect(await starting.poll()).toEqual([]);
			const ids = await make(other, 1);
			expect(sortedIds(await trigger.reloaded({ credential }).poll())).toEqual([old, ...ids].sort());
			expect(sortedIds(await starting.poll())).toEqual(ids);
		});
	});

	describe('filters', () => {
		const { name, passes, fails } = watched.filter;

		test('a record arrives the first time it passes all of them', async () => {
			const org = await organization();
			const status = [completed.toLowerCase(), ` ${refunded} `];
			const trigger = new Trigger({ watched, ...org, parameters: { filters: { status, [name]: [passes] } } });
			await trigger.poll();
			const [id] = await make(org, 1, { status: pending, [name]: passes });
			await make(org, 1, { status: completed, [name]: fails });
			const [paid] = await make(org, 1, { status: refunded, [name]: passes });
			expect(sortedIds(await trigger.poll())).toEqual([paid]);
			await change(org, id as string, { status: completed });
			expect(sortedIds(await trigger.poll())).toEqual([id]);
			expect(await trigger.poll()).toEqual([]);
		});

		test.each(source.filters.map((filter) => [filter.name]))('%s', async (field) => {
			const [wanted, others] =
				field === 'status' ? [pending, completed] : field === name ? [passes, fails] : ['a', 'b'];
			const { org, trigger } = await startedTrigger(watched, { parameters: { filters: { [field]: [wanted] } } });
			const ids = await make(org, 1, { [field]: wanted });
			await make(org, 1, { [field]: others });
			expect(sortedIds(await trigger.poll())).toEqual(ids);
		});
	});

	describe(watched.maxDisplayName, () => {
		test.each([1, 99, 100, 101, 250])('%i at a time, all arrive once', async (most) => {
			const total = Math.min(250, most * 4 + 1);
			const org = await organization(watched.of(total));
			const parameters = { ...ALL_RECORDS, options: { [source.maxName]: most } };
			const trigger = new Trigger({ watched, ...org, parameters });
			const polls = await trigger.drain();
			expect(Math.max(...polls.map(({ length }) => length))).toBeLessThanOrEqual(most);
			expect(polls).toHaveLength(Math.ceil(total / most));
			expect(new Set(polls.flat().map(({ id }) => id)).size).toBe(total);
			expect(polls.flat()).toHaveLength(total);
		});
	});

	describe('Fetch Test Event', () => {
		test('returns a few real records and leaves the state alone', async () => {
			const { org, trigger } = await startedTrigger(watched, {}, watched.of(250));
			const before = JSON.stringify(trigger.staticData);
			await control.clearJournal(org.id);
			const found = await trigger.fetchTestEvent();
			expect(found).toHaveLength(5);
			expect((await org.journal()).map(({ query }) => query)).toEqual([{ page_size: '100' }]);
			expect(await listed(org)).toEqual(expect.arrayContaining(found));
			expect(JSON.stringify(trigger.staticData)).toBe(before);
		});

		test('works before the first poll, and does not count as it', async () => {
			const parameters = { event: source.events.newOrUpdated };
			const trigger = new Trigger({ watched, ...(await organization(watched.of(2))), parameters });
			expect(await trigger.fetchTestEvent()).toMatchObject([{ event: 'new' }, { event: 'new' }]);
			expect(trigger.staticData).toEqual({});
		});

		test('says when there are none, and when none passes the filters', async () => {
			const org = await organization();
			const none = new Trigger({ watched, ...org });
			await expect(none.fetchTestEvent()).rejects.toMatchObject({
				message: `There are no ${plural} yet`,
				description: expect.stringContaining(source.getOne),
			});
			await make(org, 350, { status: pending });
			const filtered = new Trigger({ watched, ...org, parameters: { filters: { status: [completed] } } });
			await expect(filtered.fetchTestEvent()).rejects.toMatchObject({
				message: `None of the first 300 ${plural} passes the filters`,
				description: expect.stringContaining('Choose other values'),
			});
		});

		test('a wrong key is said', async () => {
			const { credential } = await organization();
			await expect(
				new Trigger({ watched, credential: { ...credential, apiKey: 'wrong' } }).fetchTestEvent(),
			).rejects.toThrow('rejected the API key');
		});
	});

	test.each([
		[{ startFrom: 'date', startDate: '' }, '"Start Date" is empty'],
		[{ startFrom: 'date', startDate: 'soon' }, '"Start Date" is not a date'],
		[{ startFrom: '={{ "date" }}', startDate: '2026-01-20' }, '"Start From" has a value that this node does not know'],
		[{ event: `={{ "${source.events.newOrUpdated}" }}` }, '"Event" has a value that this node does not know'],
		[{ options: { overlap: 0 } }, '"Overlap" must be a number, from 1 to 525600'],
		[{ options: { [source.maxName]: 0 } }, `"${watched.maxDisplayName}" must be a whole number, from 1 to 50000`],
		[{ options: { maxAttempts: 0 } }, '"Maximum Attempts" must be a whole number, from 1 to 20'],
	])('parameters: %j is rejected before anything is sent', async (parameters, message) => {
		const org = await organization();
		await expect(new Trigger({ watched, ...org, parameters }).poll()).rejects.toThrow(message);
		expect(await org.journal()).toEqual([]);
	});
});
