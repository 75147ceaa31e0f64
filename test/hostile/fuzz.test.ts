import fc from 'fast-check';
import { SEED } from '../support/seed.ts';
import { withoutBackoff } from '../support/service.ts';
import type { Counterexample } from './counterexamples.ts';
import { COUNTEREXAMPLES } from './counterexamples.ts';
import { hostileResponse } from './support/arbitrary.ts';
import type { Part } from './support/hostileServer.ts';
import { useHostileServers } from './support/hostileServer.ts';
import { countOfLogs } from './support/n8nLogs.ts';
import { hurried, patient } from './support/subjects.ts';
import { ampleTimeLimits } from './support/timeLimits.ts';

withoutBackoff();

const RUNS = Number(process.env.HOSTILE_RUNS ?? 10_000);

// In parallel, so that attacks that wait for a timeout do not delay the others.
const AT_ONCE = 40;

/** Attacks generated from one seed; the next batch has the next seed. */
const OF_ONE_SEED = 250;

const SHRINK_FOR_MS = 60_000;

const subjects = [...hurried, ...patient];
const names = subjects.map(({ name }) => name);

interface Attack {
	subject: number;
	/** One per request; the last is for all further requests. */
	responses: Part[][];
}

const { server, elsewhere } = useHostileServers();

beforeEach(() => {
	ampleTimeLimits();
});

/** Only a node's own limit ends silence and a 101, after which axios never returns. */
const stalls = (parts: Part[]) =>
	parts.includes('silence') || parts.some((part) => Buffer.isBuffer(part) && part.includes('HTTP/1.1 101 '));

/** Runs an attack. Returns what is wrong with its end; empty when nothing is. */
async function attack({ subject, responses }: Attack): Promise<string[]> {
	const heardBefore = elsewhere.connections;
	const script = (index: number) => responses[Math.min(index, responses.length - 1)] as Part[];
	const { wrong } = await (subjects[subject] as (typeof subjects)[number]).attack(server, script, {
		maxAttempts: 2,
		stalls: responses.some(stalls),
	});
	return [...wrong, ...(elsewhere.connections > heardBefore ? ['a redirect was followed'] : [])];
}

const ELSEWHERE = '{elsewhere}';
const addressElsewhere = () => `127.0.0.1:${elsewhere.port}`;

/** Returns the line of counterexamples.ts that keeps an attack. */
function asCounterexample({ subject, responses }: Attack): string {
	const kept = responses.map((parts) =>
		parts.map((part) =>
			Buffer.isBuffer(part) ? { bytes: part.toString('latin1').replaceAll(addressElsewhere(), ELSEWHERE) } : part,
		),
	);
	return JSON.stringify({ what: 'say here what was wrong', subject: names[subject], responses: kept });
}

function asAttack({ subject, responses }: Counterexample): Attack {
	const made = responses.map((parts) =>
		parts.map((part) =>
			typeof part === 'string' ? part : Buffer.from(part.bytes.replaceAll(ELSEWHERE, addressElsewhere()), 'latin1'),
		),
	);
	return { subject: names.indexOf(subject), responses: made };
}

/** Returns the attacks as a property, which fast-check can generate from a seed and shrink. */
function property() {
	// The patient subjects would wait up to a minute on silence.
	const isQuick = ({ subject, responses }: Attack) => subject < hurried.length || !responses.some(stalls);
	const one = fc
		.record({
			subject: fc.nat(subjects.length - 1),
			responses: fc.array(hostileResponse(`http://127.0.0.1:${elsewhere.port}`), { minLength: 1, maxLength: 3 }),
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
	/** Its index among the attacks of its seed, from 0. */
	index: number;
}

function* allAttacks(): Generator<Made> {
	for (let made = 0; made < RUNS; made += OF_ONE_SEED) {
		const batchSeed = SEED + made / OF_ONE_SEED;
		for (const [index, [one]] of fc
			.sample(property(), { seed: batchSeed, numRuns: Math.min(OF_ONE_SEED, RUNS - made) })
			.entries()) {
			yield { attack: one, seed: batchSeed, index };
		}
	}
}

/** Shrinks a failed attack. Returns why the smallest one fails, and how to keep it. */
async function explained({ attack: original, seed, index }: Made, wrong: string[]): Promise<string> {
	const again = await fc.check(property(), { seed, path: String(index), interruptAfterTimeLimit: SHRINK_FOR_MS });
	const [smallest, message] =
		again.counterexample === null
			? [original, `${wrong.join('\n')}\n(only among others, not alone)`]
			: [again.counterexample[0], String(again.errorInstance)];
	const keep = `To make this attack in each run from now on, add this line to test/hostile/counterexamples.ts:\n${asCounterexample(smallest)},`;
	return `${message}\n(seed ${seed}, place ${index}; shrunk ${again.numShrinks} times)\n\n${keep}`;
}

test('the counterexamples pass', async () => {
	for (const one of COUNTEREXAMPLES) expect([one.what, await attack(asAttack(one))]).toEqual([one.what, []]);
}, 600_000);

test(
	`${RUNS} random attacks, from seed ${SEED} on`,
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
		// n8n logs the start and the end of every execution, so this many lines show that its logs were checked.
		expect(countOfLogs()).toBeGreaterThan(RUNS);
	},
	Math.max(1_800_000, RUNS * 200),
);
