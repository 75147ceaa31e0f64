import { withoutBackoff } from '../support/service.ts';
import { useHostileServers } from './support/hostileServer.ts';
import type { Attack } from './support/responses.ts';
import { bodies, echoes, framings, redirects, rejections, stalls } from './support/responses.ts';
import type { AttackEnd, Limits, Subject } from './support/subjects.ts';
import { hurried, patient, picker } from './support/subjects.ts';
import { ampleTimeLimits, timeLimits } from './support/timeLimits.ts';

withoutBackoff();

/** Processor time for one attack on all nodes, in seconds: several times what the most expensive takes (8 s). */
const MAX_CPU_S = 60;

const { server, elsewhere } = useHostileServers();

type Attacked = AttackEnd & { subject: Subject };

async function attackAll(subjects: Subject[], attack: Attack, limits: Limits = {}): Promise<Attacked[]> {
	const script = attack.script(`http://127.0.0.1:${elsewhere.port}`);
	const ending = async (subject: Subject) => ({ ...(await subject.attack(server, script, limits)), subject });
	return await Promise.all(subjects.map(ending));
}

function expectClearEnds(outcomes: Attacked[]): void {
	expect(outcomes.flatMap(({ subject, wrong: its }) => its.map((one) => `${subject.name}: ${one}`))).toEqual([]);
	// Every subject sent a request, so the attack took place.
	expect(outcomes.filter(({ heads }) => heads.length === 0)).toEqual([]);
	expect(elsewhere.connections).toBe(0);
	expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
	for (const outcome of outcomes) if (outcome.subject.isWrite === true) expectNotDenied(outcome);
}

/** A change that may have been made is never denied, and its error has the key with which to try again. */
function expectNotDenied({ error, errorText, heads }: Attacked): void {
	if (error === undefined) return;
	const { httpCode } = error as { httpCode?: string | null };
	const rejected = httpCode?.startsWith('4') && httpCode !== '408' && httpCode !== '409';
	if (!rejected) expect(errorText).toContain('may have been made anyway');
	expect(errorText).toMatch(/Idempotency Key: [0-9a-f-]{36}/);
	expect(heads[0]).toMatch(/idempotency-key: [0-9a-f-]{36}/i);
}

/** Whether it ended neither by a timeout nor with a rejection, which is known even if the rest of the response never arrives. */
const endedOtherwise = ({ timedOut, error }: Attacked) =>
	!timedOut && ((error as { httpCode?: string | null } | undefined)?.httpCode ?? null) === null;

const whole = [...redirects, ...bodies, ...framings, ...rejections, ...echoes];

describe('each node turns a hostile response into success or one clear error, and shows no key', () => {
	test.each(whole)('$name', async (attack) => {
		ampleTimeLimits();
		const before = process.cpuUsage();
		expectClearEnds(await attackAll([...hurried, ...patient], attack));
		// Other programs lengthen the elapsed time, but not the processor time.
		const { user, system } = process.cpuUsage(before);
		expect((user + system) / 1_000_000).toBeLessThan(MAX_CPU_S);
	});

	test.each(stalls)('within its Timeout: $name', async (attack) => {
		const outcomes = await attackAll(hurried, attack, { stalls: true });
		expectClearEnds(outcomes);
		expect(outcomes.filter(endedOtherwise).map(({ subject }) => subject.name)).toEqual([]);
		// One request each; the trigger sends two more before the attack, when it starts, and one after, and then begins its census.
		const sweeps = (heads: string[]) => heads.filter((head) => !head.includes('updated_since=1970'));
		for (const { heads, subject } of outcomes) {
			const expected = subject.name === 'Transaction Trigger' ? 4 : 1;
			expect([subject.name, sweeps(heads).length]).toEqual([subject.name, expected]);
		}
		await server.until('the connections are closed', ({ open }) => open === 0);
	});

	test('the lead picker and the credential test, which have no Timeout option, time out by themselves', async () => {
		const limits = timeLimits(() => 2_000);
		const attacked = stalls.map(async (attack) => await attackAll(patient, attack, { stalls: true }));
		const outcomes = (await Promise.all(attacked)).flat();
		expectClearEnds(outcomes);
		const pickers = outcomes.filter(({ subject }) => subject === picker);
		expect(pickers.filter(endedOtherwise)).toEqual([]);
		expect(outcomes.flatMap(({ items }) => items)).toEqual([]);
		// The picker's timeout, for each of its two attempts, and that of the credential test.
		expect([...new Set(limits)].toSorted()).toEqual([15_000, 20_000]);
	});
});
