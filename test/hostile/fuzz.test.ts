import fc from 'fast-check';
import { hostileAnswer } from './support/arbitrary';
import type { Part } from './support/hostileServer';
import { HostileServer } from './support/hostileServer';
import { countOfLogs } from './support/n8nLogs';
import { hurried, patient } from './support/subjects';
import { withoutBackoff } from './support/withoutBackoff';

withoutBackoff();

const RUNS = Number(process.env.HOSTILE_RUNS ?? 10_000);
const seed = Number(process.env.HOSTILE_SEED ?? Date.now() % 2 ** 31);

// At once, so that those that wait for a timeout hold nobody up.
const AT_ONCE = 40;

/** Attacks made from one seed; the next has the next seed. */
const OF_ONE_SEED = 250;

// 1 s for each of the few answers an attack consists of, and what 40 at once take besides.
const LONGEST_MS = 25_000;
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

/** What is wrong with how an attack ended; empty when nothing is. */
async function attack({ subject, answers }: Attack): Promise<string[]> {
	const heardBefore = elsewhere.connections;
	const { wrong, ms } = await (subjects[subject] as (typeof subjects)[number]).attack(server, (index) => answers[Math.min(index, answers.length - 1)] as Part[], { maxAttempts: 2 });
	return [...wrong, ...(ms > LONGEST_MS ? [`took ${Math.round(ms)} ms`] : []), ...(elsewhere.connections > heardBefore ? ['a redirect was followed'] : [])];
}

const readable = ({ subject, answers }: Attack) => `${names[subject]}: ${answers.map((parts) => parts.map((part) => (Buffer.isBuffer(part) ? part.toString('latin1').slice(0, 2_000) : String(part))).join(' | ')).join('\n---\n')}`;

/** The attacks as a property, which fast-check can make from a seed and shrink. */
function property() {
	// The patient ones would wait for a minute when there is silence.
	const isQuick = ({ subject, answers }: Attack) => subject < hurried.length || !answers.some((parts) => parts.includes('silence'));
	const one = fc
		.record({ subject: fc.nat(subjects.length - 1), answers: fc.array(hostileAnswer(`http://127.0.0.1:${elsewhere.port}`), { minLength: 1, maxLength: 3 }) })
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
		const itsSeed = seed + made / OF_ONE_SEED;
		for (const [index, [one]] of fc.sample(property(), { seed: itsSeed, numRuns: Math.min(OF_ONE_SEED, RUNS - made) }).entries()) {
			yield { attack: one, seed: itsSeed, index };
		}
	}
}

/** The smallest attack like this one that still fails, and how to repeat it. */
async function explained({ attack: original, seed: itsSeed, index }: Made, wrong: string[]): Promise<string> {
	const again = await fc.check(property(), { seed: itsSeed, path: String(index), interruptAfterTimeLimit: SHRINK_FOR_MS });
	const repeat = `HOSTILE_SEED=${itsSeed} HOSTILE_RUNS=${index + 1} repeats it as the last one`;
	if (again.counterexample === null) return `${wrong.join('\n')}\n(only among others, not alone; ${repeat})\n${readable(original)}`;
	return `${String(again.errorInstance)}\n(${repeat}; shrunk ${again.numShrinks} times)\n${readable(again.counterexample[0])}`;
}

test(`${RUNS} answers made up at random, from seed ${seed} on`, async () => {
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
}, Math.max(600_000, RUNS * 100));
