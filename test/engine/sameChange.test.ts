import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import type { Switches } from '../../sandbox/src/client.ts';
import type { NodeRun } from '../support/engine/runNode.ts';
import { runNode, succeeded } from '../support/engine/runNode.ts';
import { draft } from '../support/engine/writes.ts';
import { HOST } from '../support/hostUnderTest.ts';
import type { TestOrganization } from '../support/service.ts';
import { control, organization, withoutBackoff } from '../support/service.ts';

withoutBackoff();

const SECTION = readFileSync(path.join(__dirname, '../../docs/idempotency.md'), 'utf8')
	.split('\n## The same change\n')[1]
	?.split('\n## ')[0];

/** The table of docs/idempotency.md: each row has expressions, then what becomes of their change in each retry after a crash. */
const ROWS = SECTION?.split('\n')
	.filter((line) => line.startsWith('| ') && line.includes('`'))
	.map((line) =>
		line
			.split('|')
			.slice(1, -1)
			.map((cell) => cell.trim()),
	) as string[][];

const CASES = ROWS.flatMap(([values = '', ...outcomes]) =>
	[...values.matchAll(/`(.+?)`/g)].map(([, value]) => [value as string, ...outcomes] as const),
);

test('the documentation has a table of what is the same change', () => {
	expect(CASES.length).toBeGreaterThanOrEqual(12);
	expect(SECTION).toContain("Retry On Fail, and n8n's Retry of a failed execution, make each change below once.");
});

const FIRST = ['a', 'b', 'c'].map((name) => ({ name, fetchedAt: 1 }));
const FETCHED_AGAIN = FIRST.map((item) => ({ ...item, fetchedAt: 2 })).reverse();
const RENAMED = FIRST.map(({ name }) => ({ name: `${name}2`, fetchedAt: 1 }));

const creating = (org: TestOrganization, value: string, more: Partial<NodeRun> = {}): NodeRun => ({
	type: 'createKeywordAutomation',
	// The names of the three items differ, as far as the value says.
	parameters: { ...draft, name: value.includes('{{') ? `=${value}` : value, options: { maxAttempts: 1 } },
	credential: org.credential,
	input: FIRST,
	...more,
});

/** Returns how many changes there are in the end of three that were intended, and whether the service rejected one. */
async function outcome(
	value: string,
	retry: (org: TestOrganization, first: Awaited<ReturnType<typeof runNode>>) => Promise<unknown>,
	{ failing = false, switches = {} as Switches } = {},
) {
	const org = await organization({ switches });
	if (failing) await org.meets({ action: 'status', status: 503, skip: 2, when: 'after' });
	const first = await runNode(creating(org, value));
	expect((await control.automations(org.id)).length).toBe(3);
	await retry(org, first);
	return (await control.automations(org.id)).length;
}

const afterCrash =
	(value: string, input: IDataObject[]) =>
	async (org: TestOrganization, first: Awaited<ReturnType<typeof runNode>>) => {
		const retry = { input, retryOfCrashed: first.run, onError: 'continueRegularOutput' } as const;
		const again = await runNode(creating(org, value, retry));
		// Where the service rejects a key with other values, the node cannot say that the change was not made.
		for (const { json } of again.items.filter((item) => 'error' in item.json)) expect(json.mayHaveBeenMade).toBe(true);
	};

const COUNTS: Record<string, number> = { once: 3, 'not made again': 3, 'another change': 6 };

/** n8n 1.x passes nothing to a retry after a crash, so each change is made again. */
const countAfterCrash = (outcome: string | undefined) => (HOST === 'n8n-1' ? 6 : COUNTS[outcome as string]);

describe.each(CASES)('%s', (value, crashed, otherData) => {
	test('a failed execution is retried: once', async () => {
		const retry = async (org: TestOrganization, first: Awaited<ReturnType<typeof runNode>>) => {
			expect(first.error?.httpCode).toBe('503');
			const { items } = await succeeded(runNode(creating(org, value, { retryOf: first.run })));
			expect(items.map(({ json }) => json.replayed)).toEqual([true, true, true]);
		};
		expect(await outcome(value, retry, { failing: true })).toBe(COUNTS.once);
	});

	test('the node is retried on fail: once', async () => {
		const org = await organization({}, { action: 'status', status: 503, skip: 2, when: 'after' });
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		await succeeded(runNode(creating(org, value, { settings })));
		expect(await control.automations(org.id)).toHaveLength(COUNTS.once as number);
	});

	const reuses = ['conflict', 'reject', 'replay'] as const;
	test.each(reuses)(
		`a crashed execution is retried, with items in another order and other fields: ${crashed} (key reuse: %s)`,
		async (reuse) => {
			const switches = { 'key-reuse': reuse };
			expect(await outcome(value, afterCrash(value, FETCHED_AGAIN), { switches })).toBe(countAfterCrash(crashed));
		},
	);

	test.each(reuses)(
		`a crashed execution is retried, with another name in the items: ${otherData} (key reuse: %s)`,
		async (reuse) => {
			const switches = { 'key-reuse': reuse };
			expect(await outcome(value, afterCrash(value, RENAMED), { switches })).toBe(countAfterCrash(otherData));
		},
	);
});

// n8n rewrites an expression when a node that it names is renamed.
test.each([
	['{{ $json.name + "!" }}', "{{ $json.name + '!' }}", 6],
	["{{ $('Input').item.json.name + '!' }}", '{{ $("Input").item.json.name + "!" }}', 6],
	["{{ $('Input').item.json.name }}", '{{ $("Input").item.json.name }}', 3],
])('a crashed execution is retried after %s was edited, with the same values', async (before, after, count) => {
	const retry = async (org: TestOrganization, first: Awaited<ReturnType<typeof runNode>>) =>
		await runNode(creating(org, after, { retryOfCrashed: first.run }));
	expect(await outcome(before, retry)).toBe(HOST === 'n8n-1' ? 6 : count);
});
