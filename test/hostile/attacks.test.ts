import { HostileServer } from './support/hostileServer';
import type { Attack } from './support/answers';
import { bodies, budgets, echoes, framings, redirects, stalls } from './support/answers';
import { hurried, patient, picker } from './support/subjects';
import type { Limits, Outcome, Subject } from './support/subjects';
import { ampleTimeLimits, timeLimits } from './support/timeLimits';
import { withoutBackoff } from './support/withoutBackoff';

withoutBackoff();

jest.setTimeout(300_000);

/** Processor time for one attack on all nodes, in seconds: several times what the most expensive takes (8 s). */
const MOST_CPU_S = 60;

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

type Attacked = Outcome & { subject: Subject };

async function attackAll(subjects: Subject[], attack: Attack, limits: Limits = {}): Promise<Attacked[]> {
	const script = attack.script(`http://127.0.0.1:${elsewhere.port}`);
	return await Promise.all(
		subjects.map(async (subject) => ({ ...(await subject.attack(server, script, limits)), subject })),
	);
}

function expectOrder(outcomes: Attacked[]): void {
	expect(outcomes.flatMap(({ subject, wrong: its }) => its.map((one) => `${subject.name}: ${one}`))).toEqual([]);
	// All were asked: the attack took place.
	expect(outcomes.filter(({ heads }) => heads.length === 0)).toEqual([]);
	expect(elsewhere.connections).toBe(0);
	expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}

/** Not because its time was up, nor with a refusal, which stands also when the rest of it never comes. */
const endedOtherwise = ({ timedOut, error }: Attacked) =>
	!timedOut && ((error as { httpCode?: string | null } | undefined)?.httpCode ?? null) === null;

const whole = [...redirects, ...bodies, ...framings, ...budgets, ...echoes];

describe('each node ends a hostile answer in success or one clear error, and no key shows', () => {
	test.each(whole.map((attack) => [attack.name, attack] as const))('%s', async (_name, attack) => {
		ampleTimeLimits();
		const before = process.cpuUsage();
		expectOrder(await attackAll([...hurried, ...patient], attack));
		// Other programs do not lengthen it, as they do what passes on the clock.
		const { user, system } = process.cpuUsage(before);
		expect((user + system) / 1_000_000).toBeLessThan(MOST_CPU_S);
	});

	test.each(stalls.map((attack) => [attack.name, attack] as const))('within its Timeout: %s', async (_name, attack) => {
		const outcomes = await attackAll(hurried, attack, { stalls: true });
		expectOrder(outcomes);
		expect(outcomes.filter(endedOtherwise).map(({ subject }) => subject.name)).toEqual([]);
		// Each was asked once, the trigger once more before and after.
		for (const { heads, subject } of outcomes)
			expect([subject.name, heads.length]).toEqual([subject.name, subject.name === 'Transaction Trigger' ? 3 : 1]);
		await server.until('the connections are closed', ({ open }) => open === 0);
	});

	test('those without a Timeout of the user’s have one of their own', async () => {
		const said = timeLimits(() => 500);
		const outcomes = await Promise.all(
			stalls.map(async (attack) => await attackAll(patient, attack, { stalls: true })),
		);
		expectOrder(outcomes.flat());
		const pickers = outcomes.flat().filter(({ subject }) => subject === picker);
		expect(pickers.filter(endedOtherwise)).toEqual([]);
		expect(outcomes.flat().flatMap(({ items }) => items)).toEqual([]);
		// The picker's for each of its two attempts, and the credential test's.
		expect([...new Set(said)].toSorted()).toEqual([15_000, 20_000]);
	});
});

describe('a change that may have been made', () => {
	const writes = hurried.filter(({ isWrite }) => isWrite);

	const all = [...redirects, ...bodies, ...framings, ...stalls];

	test.each(all.map((attack) => [attack.name, attack] as const))(
		'is never called undone: %s',
		async (_name, attack) => {
			for (const { error, told, heads } of await attackAll(writes, attack, { stalls: stalls.includes(attack) })) {
				if (error === undefined) continue;
				const { httpCode } = error as { httpCode?: string | null };
				const refused = httpCode?.startsWith('4') && httpCode !== '408' && httpCode !== '409';
				if (!refused) expect(told).toContain('may have been made anyway');
				expect(told).toMatch(/Idempotency Key: [0-9a-f-]{36}/);
				expect(heads[0]).toMatch(/idempotency-key: [0-9a-f-]{36}/i);
			}
		},
	);
});
