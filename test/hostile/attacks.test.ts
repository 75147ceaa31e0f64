import { HostileServer } from './support/hostileServer';
import type { Attack } from './support/answers';
import { bodies, budgets, echoes, framings, redirects, stalls } from './support/answers';
import { hurried, patient } from './support/subjects';
import type { Outcome, Subject } from './support/subjects';
import { withoutBackoff } from './support/withoutBackoff';

withoutBackoff();

let server: HostileServer;
/** Nothing may ever be asked of it. */
let elsewhere: HostileServer;

beforeAll(async () => {
	server = await new HostileServer().start();
	elsewhere = await new HostileServer().start();
});

afterAll(async () => {
	await Promise.all([server.stop(), elsewhere.stop()]);
});

async function attackAll(subjects: Subject[], attack: Attack): Promise<Array<Outcome & { subject: Subject }>> {
	const script = attack.script(`http://127.0.0.1:${elsewhere.port}`);
	return await Promise.all(subjects.map(async (subject) => ({ ...(await subject.attack(server, script)), subject })));
}

function expectOrder(outcomes: Array<Outcome & { subject: Subject }>, withinMs: number): void {
	const wrong = outcomes.flatMap(({ subject, wrong: its, ms }) => [...its, ...(ms > withinMs ? [`took ${Math.round(ms)} ms`] : [])].map((one) => `${subject.name}: ${one}`));
	expect(wrong).toEqual([]);
	// All were asked: the attack took place.
	expect(outcomes.filter(({ heads }) => heads.length === 0)).toEqual([]);
	expect(elsewhere.connections).toBe(0);
	expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}

describe('each node ends a hostile answer in success or one clear error, and no key shows', () => {
	test.each([...redirects, ...bodies, ...framings, ...budgets, ...echoes].map((attack) => [attack.name, attack] as const))('%s', async (_name, attack) => {
		expectOrder(await attackAll([...hurried, ...patient], attack), 20_000);
	});

	// One second for the answer, and what it takes besides; the trigger polls three times.
	test.each(stalls.map((attack) => [attack.name, attack] as const))('within its Timeout: %s', async (_name, attack) => {
		const outcomes = await attackAll(hurried, attack);
		expectOrder(outcomes, 6_000);
		expect(outcomes.filter(({ error, subject }) => error === undefined && subject.name !== 'Transaction Trigger')).toEqual([]);
	});

	test('those without a Timeout of the user’s have one of their own', async () => {
		const outcomes = await Promise.all(stalls.map(async (attack) => await attackAll(patient, attack)));
		expectOrder(outcomes.flat(), 45_000);
	}, 60_000);
});

describe('a change that may have been made', () => {
	const writes = hurried.filter(({ isWrite }) => isWrite);

	test.each([...redirects, ...bodies, ...framings, ...stalls].map((attack) => [attack.name, attack] as const))('is never called undone: %s', async (_name, attack) => {
		for (const { error, told, heads } of await attackAll(writes, attack)) {
			if (error === undefined) continue;
			const { httpCode } = error as { httpCode?: string | null };
			const refused = httpCode?.startsWith('4') && httpCode !== '408' && httpCode !== '409';
			if (!refused) expect(told).toContain('may have been made all the same');
			expect(told).toMatch(/Idempotency Key: [0-9a-f-]{36}/);
			expect(heads[0]).toMatch(/idempotency-key: [0-9a-f-]{36}/i);
		}
	});
});
