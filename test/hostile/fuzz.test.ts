import fc from 'fast-check';
import { SEED } from '../support/seed';
import type { Counterexample } from './counterexamples';
import { COUNTEREXAMPLES } from './counterexamples';
import { hostileAnswer } from './support/arbitrary';
import type { Part } from './support/hostileServer';
import { HostileServer } from './support/hostileServer';
import { countOfLogs } from './support/n8nLogs';
import { hurried, patient } from './support/subjects';
import { ampleTimeLimits } from './support/timeLimits';
import { withoutBackoff } from './support/withoutBackoff';

withoutBackoff();

const RUNS = Number(process.env.HOSTILE_RUNS ?? 10_000);

// At once, so that those that wait for a timeout hold nobody up.
const AT_ONCE = 40;

/** Attacks made from one seed; the next has the next seed. */
const OF_ONE_SEED = 250;

const SHRINK_FOR_MS = 60_000;

const subjects = [...hurried, ...patient];
const names = subjects.map(({ name }) => name);

interface Attack {
	subject: number;
	/** One per request; the last for all that follow. */
	answers: Part[][];
}

let server: HostileServer;
let elsewhere: HostileServer;

beforeAll(async () => {
	server = await new HostileServer().start();
	elsewhere = await new HostileServer().start();
});

afterAll(async () => {
	await Promise.all([server.stop(), elsewhere.stop()]);
});

beforeEach(() => {
	ampleTimeLimits();
});

/** Nothing but a node's own limit ends what stalls: silence, and a 101, of which axios never comes back. */
const stalls = (parts: Part[]) =>
	parts.includes('silence') || parts.some((part) => Buffer.isBuffer(part) && part.includes('HTTP/1.1 101 '));

/** What is wrong with how an attack ended; empty when nothing is. */
async function attack({ subject, answers }: Attack): Promise<string[]> {
	const heardBefore = elsewhere.connections;
	const script = (index: number) => answers[Math.min(index, answers.length - 1)] as Part[];
	const { wrong } = await (subjects[subject] as (typeof subjects)[number]).attack(server, script, {
		maxAttempts: 2,
		stalls: answers.some(stalls),
	});
	return [...wrong, ...(elsewhere.connections > heardBefore ? ['a redirect was followed'] : [])];
}

const ELSEWHERE = '{elsewhere}';
const addressElsewhere = () => `127.0.0.1:${elsewhere.port}`;

/** The line of counterexamples.ts that keeps an attack. */
function asCounterexample({ subject, answers }: Attack): string {
	const kept = answers.map((parts) =>
		parts.map((part) =>
			Buffer.isBuffer(part) ? { bytes: part.toString('latin1').replaceAll(addressElsewhere(), ELSEWHERE) } : part,
		),
	);
	return JSON.stringify({ what: 'say here what was wrong', subject: names[subject], answers: kept });
}

function asAttack({ subject, answers }: Counterexample): Attack {
	const made = answers.map((parts) =>
		parts.map((part) =>
			typeof part === 'string' ? part : Buffer.from(part.bytes.replaceAll(ELSEWHERE, addressElsewhere()), 'latin1'),
		),
	);
	return { subject: names.indexOf(subject), answers: made };
}

/** The attacks as a property, which fast-check can make from a seed and shrink. */
function property() {
	// The patient ones would wait for a minute when there is silence.
	const isQuick = ({ subject, answers }: Attack) => subject < hurried.length || !answers.some(stalls);
	const one = fc
		.record({
			subject: fc.nat(subjects.length - 1),
			answers: fc.array(hostileAnswer(`http://127.0.0.1:${elsewhere.port}`), { minLength: 1, maxLength: 3 }),
		})
		.filter(isQuick);
	return fc.asyncProperty(one, async (made) => {
		const wrong = await attack(made);
		if (wrong.length > 0) throw new Error(wrong.join('\n'));
	});
}

interface Made {
	attack: Attack;
	seed: number;
	/** Its place among those of its seed, from 0. */
	index: number;
}

function* allAttacks(): Generator<Made> {
	for (let made = 0; made < RUNS; made += OF_ONE_SEED) {
		const itsSeed = SEED + made / OF_ONE_SEED;
		for (const [index, [one]] of fc
			.sample(property(), { seed: itsSeed, numRuns: Math.min(OF_ONE_SEED, RUNS - made) })
			.entries()) {
			yield { attack: one, seed: itsSeed, index };
		}
	}
}

/** The smallest attack like this one that still fails, and how to keep it. */
async function explained({ attack: original, seed, index }: Made, wrong: string[]): Promise<string> {
	const again = await fc.check(property(), { seed, path: String(index), interruptAfterTimeLimit: SHRINK_FOR_MS });
	const [smallest, said] =
		again.counterexample === null
			? [original, `${wrong.join('\n')}\n(only among others, not alone)`]
			: [again.counterexample[0], String(again.errorInstance)];
	const keep = `To have npm test make this attack from now on, add this line to test/hostile/counterexamples.ts:\n${asCounterexample(smallest)},`;
	return `${said}\n(seed ${seed}, place ${index}; shrunk ${again.numShrinks} times)\n\n${keep}`;
}

test('what was once found ends well', async () => {
	for (const one of COUNTEREXAMPLES) expect([one.what, await attack(asAttack(one))]).toEqual([one.what, []]);
}, 600_000);

test(
	`${RUNS} answers made up at random, from seed ${SEED} on`,
	async () => {
		const ended = new Map<number, number>();
		const attacks = allAttacks();
		const failures: Array<{ made: Made; wrong: string[] }> = [];
		const takeTurns = async () => {
			for (let next = attacks.next(); failures.length === 0 && next.done !== true; next = attacks.next()) {
				const wrong = await attack(next.value.attack);
				ended.set(next.value.attack.subject, (ended.get(next.value.attack.subject) ?? 0) + 1);
				if (wrong.length > 0) failures.push({ made: next.value, wrong });
			}
		};
		await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
		const [first] = failures;
		if (first !== undefined) throw new Error(await explained(first.made, first.wrong));
		expect([...ended.values()].reduce((sum, count) => sum + count)).toBe(RUNS);
		if (RUNS < 1_000) return;
		expect(ended.size).toBe(subjects.length);
		// n8n logs the start and the end of every execution, so its logs were looked at.
		expect(countOfLogs()).toBeGreaterThan(RUNS);
	},
	Math.max(1_800_000, RUNS * 200),
);
