import type { INodeParameters, IRun, IRunExecutionData } from 'n8n-workflow';
import { validate, version } from 'uuid';
import type { NodeOutcome, NodeRun } from '../support/engine/runNode.ts';
import { runFor, runNode, succeeded } from '../support/engine/runNode.ts';
import { draft, failedThenRetried, keys, leadsOf, tag, tagAll, tagPath } from '../support/engine/writes.ts';
import { HOST } from '../support/hostUnderTest.ts';
import { control, organization, withoutBackoff } from '../support/service.ts';

withoutBackoff();

describe('idempotency keys', () => {
	test('differ between the runs of a loop, between executions, and between nodes', async () => {
		const org = await organization({ leads: 1 });
		const [lead] = await leadsOf(org);
		const run = { type: 'tagLead', parameters: tag(org, lead as string), credential: org.credential };
		await runNode({ ...run, twice: true });
		await runNode(run);
		await runNode({ ...run, nodeName: 'Another' });
		const sent = keys(await org.journal());
		expect(sent).toHaveLength(4);
		expect(new Set(sent).size).toBe(4);
	});

	test.each([
		['={{ $execution.id }} {{ $json.name }}', [false, false, true, true, true]],
		// Nothing tells these changes apart.
		['=Draft {{ $now }} {{ Math.random() }}', [true, true, true, false, false]],
	])('stay the same where %s is the name, and the items of a retry have swapped places', async (name, replayed) => {
		const org = await organization();
		const run = { type: 'createKeywordAutomation', parameters: { ...draft, name }, credential: org.credential };
		await org.meets({ action: 'status', status: 403, skip: 3 });
		const input = ['a', 'b', 'c', 'd', 'e'].map((one) => ({ name: one }));
		const retried = await failedThenRetried({ ...run, input }, { change: (items) => items.reverse() });
		expect(retried.replayed).toEqual(replayed);
		expect(await control.automations(org.id)).toHaveLength(5);
	});

	test.each<[string, INodeParameters, Partial<NodeRun>]>([
		['though the id of the execution is new', {}, {}],
		[
			'when the Idempotency Key differs each time',
			{ options: { idempotencyKey: '={{ $execution.id }} {{ $json.id }}' } },
			{},
		],
		['for a node that was deleted and added again under its name', {}, { nodeId: 'added again' }],
	])('stay the same %s', async (_when, more, again) => {
		const org = await organization({ leads: 8 });
		const leads = await leadsOf(org);
		await org.meets({ action: 'status', status: 403, match: { path: tagPath(leads[3]) } });
		const parameters = tag(org, '={{ $json.id }}', more);
		const run = { type: 'tagLead', parameters, credential: org.credential, input: leads.map((id) => ({ id })) };
		const retry = { again: { executionId: '42', ...again } };
		const { failed, replayed } = await failedThenRetried({ ...run, executionId: '41' }, retry);
		expect(failed.error?.context.itemIndex).toBe(3);
		expect(replayed.slice(0, 4)).toEqual([true, true, true, false]);
		expect(await control.tagApplications(org.id)).toHaveLength(8);
	});

	test.each([
		"={{ $('Input').itemMatching($itemIndex).json.name }}",
		'={{ $input.all()[$itemIndex].json.name }}',
		'={{ $node.Input.json.name }}',
		"={{ $('\\Input').item.json.name }}",
	])('depend on the field that %s reads, when a crash is retried and another item comes first', async (name) => {
		const org = await organization();
		const run = { type: 'createKeywordAutomation', parameters: { ...draft, name }, credential: org.credential };
		const input = ['a', 'b'].map((one) => ({ name: one }));
		const { run: crashed } = await runNode({ ...run, input });
		const { items } = await runNode({ ...run, input: [{ name: 'x' }, ...input], retryOfCrashed: crashed });
		// n8n 1.x passes nothing to a retry after a crash.
		expect(items.map(({ json }) => json.replayed)).toEqual(
			HOST === 'n8n-1' ? [false, false, false] : [false, true, true],
		);
	});

	test('differ in a retry before which the user set one: the change is made again', async () => {
		const org = await organization();
		const input = ['a', 'b'].map((name) => ({ name }));
		const run = { type: 'createKeywordAutomation', credential: org.credential, input };
		const parameters = { ...draft, name: '={{ $json.name }}' };
		await org.meets({ action: 'status', status: 403, skip: 1 });
		const again = { parameters: { ...parameters, options: { idempotencyKey: '={{ $json.name }}' } } };
		const { replayed } = await failedThenRetried({ ...run, parameters }, { again });
		expect(replayed).toEqual([false, false]);
		expect(await control.automations(org.id)).toHaveLength(3);
	});

	test('that two changes shared are given up in a retry before which the user removed it: no change is swallowed', async () => {
		const org = await organization();
		const input = ['a', 'b'].map((name) => ({ name }));
		const run = { type: 'createKeywordAutomation', credential: org.credential, input };
		const parameters = { ...draft, name: '={{ $json.name }}' };
		const shared = { ...parameters, options: { idempotencyKey: 'order 7', maxAttempts: 1 } };
		const retry = { status: '409', again: { parameters } };
		const { replayed } = await failedThenRetried({ ...run, parameters: shared }, retry);
		expect(replayed).toEqual([true, false]);
		expect(await control.automations(org.id)).toHaveLength(2);
	});

	test('that the service rejected are given up in a retry before which the user removed them, as its error advises', async () => {
		const org = await organization({}, { action: 'status', status: 422 });
		const run = { type: 'createKeywordAutomation', credential: org.credential };
		const used = { ...draft, options: { idempotencyKey: 'order 7' } };
		await failedThenRetried({ ...run, parameters: used }, { status: '422', again: { parameters: draft } });
		const [rejected, made] = keys(await org.journal());
		expect(made).not.toBe(rejected);
	});

	test('that another execution used are given up, even after two conflicts, in a retry before which the user removed them', async () => {
		const org = await organization();
		const run = { type: 'createKeywordAutomation', credential: org.credential };
		const used = { ...run, parameters: { ...draft, options: { idempotencyKey: 'order 7', maxAttempts: 1 } } };
		await runNode({ ...used, parameters: { ...used.parameters, name: 'Another' } });
		const { run: failed } = await runNode(used);
		const retry = { status: '409', again: { parameters: draft } };
		const { replayed } = await failedThenRetried({ ...used, retryOf: failed }, retry);
		expect(replayed).toEqual([false]);
		expect(await control.automations(org.id)).toHaveLength(2);
	});

	test('stay the same when the API key was renewed before the retry', async () => {
		const org = await organization();
		const input = ['a', 'b', 'c'].map((name) => ({ name }));
		const run = { type: 'createKeywordAutomation', parameters: { ...draft, name: '={{ $json.name }}' }, input };
		await org.meets({ action: 'status', status: 403, skip: 2 });
		const { key } = await control.createKey(org.id);
		const again = { credential: { ...org.credential, apiKey: key } };
		const { replayed } = await failedThenRetried({ ...run, credential: org.credential }, { again });
		expect(replayed).toEqual([true, true, false]);
	});

	test.each([
		['stay the same', 'of a failure', false, [true, true, false]],
		['are others', 'after a crash', true, [false, false, false]],
	])('%s when an expression returns a renewed API key in the retry %s', async (_are, _of, crashed, expected) => {
		const org = await organization({ leads: 3 });
		const leads = await leadsOf(org);
		const input = leads.map((id) => ({ id }));
		const run = { type: 'tagLead', parameters: tag(org, '={{ $json.id }}'), input };
		await org.meets({ action: 'status', status: 401, match: { path: tagPath(leads[2]) } });
		const credentialOf = (key: unknown) => ({ ...org.credential, apiKey: `={{ "${String(key)}" }}` });
		const { key } = await control.createKey(org.id);
		const { replayed } = await failedThenRetried(
			{ ...run, credential: credentialOf(org.keys.full) },
			{ status: '401', again: { credential: credentialOf(key) }, crashed },
		);
		expect(replayed).toEqual(expected);
		expect(await control.tagApplications(org.id)).toHaveLength(crashed ? 5 : 3);
	});

	test.each([
		['the name has it', {}],
		['the Idempotency Key has it', { options: { idempotencyKey: '={{ $json.id }}-{{ $json.when }}' } }],
	])('stay the same when n8n has stored a Date of an item as text before the retry: %s', async (_what, more) => {
		const org = await organization();
		// As database nodes return it.
		const input = ['a', 'b', 'c'].map((id) => ({ id, when: new Date(5) })) as never;
		const parameters = { ...draft, name: '=Reminder {{ $json.id }} of {{ $json.when }}', ...more };
		const run = { type: 'createKeywordAutomation', parameters, input, credential: org.credential };
		await org.meets({ action: 'status', status: 403, skip: 2 });
		expect((await failedThenRetried(run)).replayed).toEqual([true, true, false]);
		expect(await control.automations(org.id)).toHaveLength(3);
	});

	test('set by the user: a UUID4 is sent unchanged, other text as the same UUID4', async () => {
		const org = await organization();
		const own = '6F1C1E0A-6F3B-4E86-9D0C-2B8F1D6C1A11';
		const OF_VERSION_1 = '6f1c1e0a-6f3b-1e86-9d0c-2b8f1d6c1a11';
		const input = [own, 'order 7', 'order 7', 7, OF_VERSION_1].map((key) => ({ key }));
		const parameters = { ...draft, options: { idempotencyKey: '={{ $json.key }}' } };
		const { items } = await succeeded(runFor(org, 'createKeywordAutomation', parameters, { input }));
		const sent = keys(await org.journal());
		expect(sent[0]).toBe(own.toLowerCase());
		expect(sent[1]).toBe(sent[2]);
		expect(new Set(sent).size).toBe(4);
		expect(sent.every((key) => validate(key) && version(key) === 4)).toBe(true);
		expect(items.map(({ json }) => json.replayed)).toEqual([false, false, true, false, false]);
		expect(await control.automations(org.id)).toHaveLength(4);
	});
});

describe('faults between the service and the node', () => {
	const CONTINUING = ['continueErrorOutput', 'continueRegularOutput'] as const;
	test.each(CONTINUING)('with %s, the output for failed items makes exactly the missing changes', async (onError) => {
		const org = await organization({ leads: 3 });
		const leads = await leadsOf(org);
		await org.meets(
			{ action: 'status', status: 503, when: 'after', match: { path: tagPath(leads[0]) } },
			{ action: 'status', status: 400, match: { path: tagPath(leads[2]) } },
		);
		const { items, outputs } = await tagAll(org, 3, { parameters: { options: { maxAttempts: 1 } }, onError });
		const failed = (onError === 'continueErrorOutput' ? outputs[1] : items.filter(({ json }) => 'error' in json)) ?? [];
		const failedItem = (item: number, error: string, mayHaveBeenMade: boolean) => ({
			pairedItem: { item },
			json: {
				error: expect.stringContaining(error),
				idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
				mayHaveBeenMade,
				requestId: expect.stringMatching(/./),
			},
		});
		expect(failed).toMatchObject([failedItem(0, 'failed to tag', true), failedItem(2, 'invalid', false)]);
		expect(failed[0]?.json.message).toContain('send this item again with its idempotencyKey as "Idempotency Key"');
		expect(items).toHaveLength(onError === 'continueErrorOutput' ? 1 : 3);
		// n8n adds the fields of the input to the error output.
		const input = failed.map(({ json, pairedItem }) => ({
			id: leads[(pairedItem as { item: number }).item] as string,
			...json,
		}));
		if (onError === 'continueErrorOutput') expect(failed.map(({ json }) => json.id)).toEqual([leads[0], leads[2]]);
		const parameters = tag(org, '={{ $json.id }}', { options: { idempotencyKey: '={{ $json.idempotencyKey }}' } });
		const again = await runFor(org, 'tagLead', parameters, { input });
		expect(again.items.map(({ json }) => json.replayed)).toEqual([true, false]);
		expect(await control.tagApplications(org.id)).toHaveLength(3);
	});

	test('a failed item without a key does not keep the next node from the others if that continues on errors, too', async () => {
		const org = await organization({}, { action: 'status', status: 400 });
		const onError = 'continueErrorOutput';
		const named = { ...draft, name: '={{ $json.name }}' };
		const items = [{ name: '' }, { name: 'a' }];
		const { outputs } = await runFor(org, 'createKeywordAutomation', named, { input: items, onError });
		const input = (outputs[1] ?? []).map(({ json }) => json);
		expect(input.map(({ idempotencyKey }) => typeof idempotencyKey)).toEqual(['object', 'string']);
		const parameters = { ...named, options: { idempotencyKey: '={{ $json.idempotencyKey }}' } };
		const stopped = await runFor(org, 'createKeywordAutomation', parameters, { input });
		expect(stopped.error?.context.itemIndex).toBe(0);
		expect(await control.automations(org.id)).toHaveLength(0);
		const again = await runFor(org, 'createKeywordAutomation', parameters, { input, onError });
		expect(again.outputs.map((items) => items.length)).toEqual([1, 1]);
		expect(await control.automations(org.id)).toHaveLength(1);
	});

	test('an item that cannot be sent after others were made: its advice ends in each change made once', async () => {
		const org = await organization({ leads: 5 });
		const ids = await leadsOf(org);
		const run = {
			type: 'tagLead',
			parameters: tag(org, '={{ $json.id }}'),
			credential: org.credential,
			input: [...ids, ''].map((id) => ({ id })),
		};
		const failed = await runNode(run);
		expect(failed.error?.message).toBe('"Lead" is empty');
		expect(failed.error?.context.itemIndex).toBe(5);
		expect(failed.error?.description).toMatch(
			/^Select a lead from the list, .* Then retry this execution \(a new one would repeat the changes that were made\)\. A retry has the same items: to go on without this one, set "On Error" to Continue first\.$/,
		);
		expect(await control.tagApplications(org.id)).toHaveLength(5);
		const retried = await runNode({ ...run, onError: 'continueErrorOutput', retryOf: failed.run });
		expect(retried.outputs.map((items) => items.length)).toEqual([5, 1]);
		expect(retried.outputs[1]?.[0]?.json.message).not.toContain('retry');
		expect(await control.tagApplications(org.id)).toHaveLength(5);
		const untouched = await runNode({ ...run, input: [{ id: '' }, { id: ids[0] as string }] });
		expect(untouched.error?.description).not.toContain('retry');
	});

	test('a lasting conflict says what to do', async () => {
		const org = await organization({ leads: 1 });
		await org.meets({ action: 'still_running', applied: false, times: -1, match: { method: 'POST' } });
		const { error } = await tagAll(org, 1);
		expect(error?.httpCode).toBe('409');
		expect(error?.message).toContain('after 5 attempts');
		expect(error?.description).toMatch(/wait a minute.*conflicts with what the service already has/);
		expect(new Set(keys(await org.journal())).size).toBe(1);
	});
});

describe('a retry of an execution that began on an n8n which keeps nothing of a crashed one', () => {
	const hintsOf = ({ hints }: NodeOutcome) => hints.map(({ message }) => message);
	/** Returns the stored execution as n8n before 2.14 has it. */
	const withoutToken = ({ run }: NodeOutcome): IRun => {
		const { resumeToken: _token, ...data } = run.data as IRunExecutionData & { resumeToken?: string };
		return { ...run, data: data as IRunExecutionData };
	};

	test.each([
		['', 1],
		['={{ $json.name }}', 0],
	])('says that changes may be made again, with the Idempotency Key "%s": %i times', async (idempotencyKey, times) => {
		const org = await organization();
		const run = { type: 'createKeywordAutomation', credential: org.credential, input: [{ name: 'a' }] };
		const parameters = { ...draft, options: { idempotencyKey } };
		const first = await runNode({ ...run, parameters });
		expect(hintsOf(first)).toEqual([]);
		const told = hintsOf(await runNode({ ...run, parameters, retryOfCrashed: withoutToken(first) }));
		expect(told).toEqual(Array<unknown>(times).fill(expect.stringMatching(/^If the execution that you retry crashed/)));
		// n8n 1.x has no token in any case.
		const withToken = hintsOf(await runNode({ ...run, parameters, retryOfCrashed: first.run }));
		expect(withToken).toEqual(HOST === 'n8n-1' ? told : []);
	});
});
