import { gzipSync } from 'node:zlib';
import type { Part } from './support/hostileServer';
import { HostileServer } from './support/hostileServer';
import { hurried, patient } from './support/subjects';
import { withoutBackoff } from './support/withoutBackoff';

withoutBackoff();

const MB = 1024 * 1024;
const GB = 1024 * MB;

// 16 MB of an answer, what parsing and collecting it takes, and n8n's engine itself.
const MOST_GROWTH = 250 * MB;

let server: HostileServer;

beforeAll(async () => {
	server = await new HostileServer().start();
});

afterAll(async () => {
	await server.stop();
});

const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
const spaces = Buffer.alloc(MB, ' ');

const attacks: Array<[string, Part[]]> = [
	['1 GB with its length', [head(`Content-Length: ${GB}`), { repeat: spaces, times: 1024 }]],
	['1 GB without a length', [head(), { repeat: spaces, times: 1024 }]],
	['1 GB in chunks', [head('Transfer-Encoding: chunked'), { repeat: Buffer.concat([Buffer.from('100000\r\n'), spaces, Buffer.from('\r\n')]), times: 1024 }]],
	['1 GB as 1 MB of gzip', [head('Content-Encoding: gzip'), { repeat: gzipSync(Buffer.alloc(16 * MB, ' ')), times: 64 }]],
	['1 GB in an error', ['HTTP/1.1 403 No\r\n\r\n', { repeat: spaces, times: 1024 }]],
	['1 GB of header', ['HTTP/1.1 200 OK\r\nX: ', { repeat: Buffer.alloc(MB, 'x'), times: 1024 }]],
];

/** Of those that end by the node's Timeout only. */
const endless: Array<[string, Part[]]> = [
	['1 GB of 1xx', [{ repeat: Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)), times: 38_000 }]],
];

/** The largest resident memory while `work` runs, above what it was before, in bytes. */
async function growth(work: () => Promise<unknown>): Promise<number> {
	const before = process.memoryUsage.rss();
	let largest = before;
	const watch = setInterval(() => {
		largest = Math.max(largest, process.memoryUsage.rss());
	}, 2);
	try {
		await work();
	} finally {
		clearInterval(watch);
	}
	return largest - before;
}

const grown = new Map<string, number>();

const all = [...hurried, ...patient].flatMap((subject) => (patient.includes(subject) ? attacks : [...attacks, ...endless]).map(([name, parts]) => [subject.name, name, subject, parts] as const));

test.each(all)('%s: %s is not taken into memory', async (name, attack, subject, parts) => {
	const before = server.sent;
	let wrong: string[] = [];
	const taken = await growth(async () => {
		({ wrong } = await subject.attack(server, () => parts));
	});
	expect(wrong).toEqual([]);
	grown.set(`${name}: ${attack}`, taken);
	expect(taken).toBeLessThan(MOST_GROWTH);
	// What was sent lies in the operating system's buffers; the rest was never asked for.
	expect(server.sent - before).toBeLessThan(200 * MB);
});

test('says what it measured', () => {
	const [[worst, bytes] = ['nothing', 0]] = [...grown].sort(([, a], [, b]) => b - a);
	process.stderr.write(`largest growth of resident memory: ${Math.round(bytes / MB)} MB (${worst})\n`);
	expect(grown.size).toBe(all.length);
});
