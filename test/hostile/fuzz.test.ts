import fc from 'fast-check';
import { hostileAnswer } from './support/arbitrary';
import type { Part } from './support/hostileServer';
import { HostileServer } from './support/hostileServer';
import { hurried, patient } from './support/subjects';
import { withoutBackoff } from './support/withoutBackoff';

withoutBackoff();

const RUNS = Number(process.env.HOSTILE_RUNS ?? 3_000);
const seed = Number(process.env.HOSTILE_SEED ?? Date.now() % 2 ** 31);

// At once, so that those that wait for a timeout hold nobody up.
const AT_ONCE = 40;

// 1 s for each of the few answers an attack consists of, and what 40 at once take besides.
const LONGEST_MS = 25_000;

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
	const { wrong, ms } = await (subjects[subject] as (typeof subjects)[number]).attack(server, (index) => answers[Math.min(index, answers.length - 1)] as Part[], { maxAttempts: 2 });
	return [...wrong, ...(ms > LONGEST_MS ? [`took ${Math.round(ms)} ms`] : [])];
}

const readable = ({ subject, answers }: Attack) => `${names[subject]}: ${answers.map((parts) => parts.map((part) => (Buffer.isBuffer(part) ? part.toString('latin1').slice(0, 2_000) : String(part))).join(' | ')).join('\n---\n')}`;

test(`${RUNS} answers made up at random`, async () => {
	const kinds = new Map<string, number>();
	// The patient ones would wait for a minute when there is silence.
	const isQuick = ({ subject, answers }: Attack) => subject < hurried.length || !answers.some((parts) => parts.includes('silence'));
	const one = fc
		.record({ subject: fc.nat(subjects.length - 1), answers: fc.array(hostileAnswer(`http://127.0.0.1:${elsewhere.port}`), { minLength: 1, maxLength: 3 }) })
		.filter(isQuick);
	await fc.assert(
		fc.asyncProperty(fc.array(one, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (attacks) => {
			const results = await Promise.all(
				attacks.map(async (made) => {
					kinds.set(names[made.subject] as string, (kinds.get(names[made.subject] as string) ?? 0) + 1);
					return (await attack(made)).map((wrong) => `${wrong}\n${readable(made)}`);
				}),
			);
			const wrong = results.flat();
			if (wrong.length > 0) throw new Error(wrong.slice(0, 3).join('\n\n'));
			if (elsewhere.connections > 0) throw new Error('a redirect was followed');
		}),
		{ numRuns: Math.ceil(RUNS / AT_ONCE), seed, endOnFailure: true },
	);
	expect([...kinds.values()].reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(RUNS);
	expect(kinds.size).toBe(subjects.length);
}, 600_000);
