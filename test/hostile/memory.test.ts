import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import type { Part } from './support/hostileServer';
import { HostileServer } from './support/hostileServer';
import { hurried, patient } from './support/subjects';
import { ampleTimeLimits } from './support/timeLimits';
import { withoutBackoff } from './support/withoutBackoff';

withoutBackoff();

const MB = 1024 * 1024;
const GB = 1024 * MB;

// 16 MB of an answer as it came and as text, and n8n's engine itself.
const MOST_GROWTH = 100 * MB;
const BETWEEN_MEASUREMENTS_MS = 2;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let server: HostileServer;

beforeAll(async () => {
	server = await new HostileServer().start();
});

afterAll(async () => {
	await server.stop();
});

const head = (...lines: string[]) =>
	`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
const spaces = Buffer.alloc(MB, ' ');

const attacks: Array<[string, Part[]]> = [
	['1 GB with its length', [head(`Content-Length: ${GB}`), { repeat: spaces, times: 1024 }]],
	['1 GB without a length', [head(), { repeat: spaces, times: 1024 }]],
	[
		'1 GB in chunks',
		[
			head('Transfer-Encoding: chunked'),
			{ repeat: Buffer.concat([Buffer.from('100000\r\n'), spaces, Buffer.from('\r\n')]), times: 1024 },
		],
	],
	[
		'1 GB as 1 MB of gzip',
		[head('Content-Encoding: gzip'), { repeat: gzipSync(Buffer.alloc(16 * MB, ' ')), times: 64 }],
	],
	['1 GB in an error', ['HTTP/1.1 403 No\r\n\r\n', { repeat: spaces, times: 1024 }]],
	['1 GB of header', ['HTTP/1.1 200 OK\r\nX: ', { repeat: Buffer.alloc(MB, 'x'), times: 1024 }]],
];

/** Of those that end by the node's Timeout only. */
const endless: Array<[string, Part[]]> = [
	['1 GB of 1xx', [{ repeat: Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)), times: 38_000 }]],
];

/** Bytes in use, with the garbage of which there may be any amount whenever the collector is late. */
function held(): number {
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

/** The most memory that is in use while `work` runs, above what was before, in bytes. Beyond `MOST_GROWTH` without garbage. */
async function growth(work: () => Promise<unknown>): Promise<number> {
	collectGarbage();
	const before = held();
	let most = 0;
	const watch = setInterval(() => {
		if (held() - before > MOST_GROWTH) collectGarbage();
		most = Math.max(most, held() - before);
	}, BETWEEN_MEASUREMENTS_MS);
	try {
		await work();
	} finally {
		clearInterval(watch);
	}
	return most;
}

const grown = new Map<string, number>();

const all = [...hurried, ...patient].flatMap((subject) =>
	(patient.includes(subject) ? attacks : [...attacks, ...endless]).map(
		([name, parts]) => [subject.name, name, subject, parts] as const,
	),
);

test.each(all)(
	'%s: %s is not taken into memory',
	async (name, attack, subject, parts) => {
		// What ends by itself must not meet the end of its time before.
		const stalls = endless.some(([, endlessly]) => endlessly === parts);
		if (!stalls) ampleTimeLimits();
		const before = server.sent;
		let wrong: string[] = [];
		const taken = await growth(async () => {
			({ wrong } = await subject.attack(server, () => parts, { stalls }));
		});
		expect(wrong).toEqual([]);
		grown.set(`${name}: ${attack}`, taken);
		expect(taken).toBeLessThan(MOST_GROWTH);
		// What was sent lies in the operating system's buffers; the rest was never asked for. How much fits into a Timeout is the machine's.
		expect(server.sent - before).toBeLessThan(stalls ? GB : 200 * MB);
	},
	300_000,
);

test('says what it measured', () => {
	const [[worst, bytes] = ['nothing', 0]] = [...grown].sort(([, a], [, b]) => b - a);
	process.stderr.write(`largest growth of memory in use: ${Math.round(bytes / MB)} MB (${worst})\n`);
	expect(grown.size).toBe(all.length);
});
