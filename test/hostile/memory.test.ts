import { gzipSync } from 'node:zlib';
import { collectGarbage } from '../../scripts/lib/collectGarbage.ts';
import { withoutBackoff } from '../support/service.ts';
import type { Part } from './support/hostileServer.ts';
import { useHostileServers } from './support/hostileServer.ts';
import { hurried, patient } from './support/subjects.ts';
import { ampleTimeLimits } from './support/timeLimits.ts';

withoutBackoff();

const MB = 1024 * 1024;
const GB = 1024 * MB;

// 16 MB of a response as bytes and as text, and n8n's engine itself.
const MAX_GROWTH = 100 * MB;
const BETWEEN_MEASUREMENTS_MS = 2;

const { server } = useHostileServers();

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

/** Attacks that only the node's Timeout ends. */
const endless: Array<[string, Part[]]> = [
	['1 GB of 1xx', [{ repeat: Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)), times: 38_000 }]],
];

/** Bytes in use, including any garbage not yet collected. */
function held(): number {
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

/** Returns the peak growth of the memory in use while `work` runs, in bytes. Above `MAX_GROWTH` it excludes garbage. */
async function growth(work: () => Promise<unknown>): Promise<number> {
	collectGarbage();
	const before = held();
	let most = 0;
	const watch = setInterval(() => {
		if (held() - before > MAX_GROWTH) collectGarbage();
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
	'%s: %s is not kept in memory',
	async (name, attack, subject, parts) => {
		// An attack that ends by itself must not time out first.
		const stalls = endless.some(([, endlessly]) => endlessly === parts);
		if (!stalls) ampleTimeLimits();
		const before = server.sent;
		let wrong: string[] = [];
		const taken = await growth(async () => {
			({ wrong } = await subject.attack(server, () => parts, { stalls }));
		});
		expect(wrong).toEqual([]);
		grown.set(`${name}: ${attack}`, taken);
		expect(taken).toBeLessThan(MAX_GROWTH);
		// The bytes sent fill the operating system's buffers; the node reads no more. How much arrives within a Timeout depends on the machine.
		expect(server.sent - before).toBeLessThan(stalls ? GB : 200 * MB);
	},
	300_000,
);

test('reports the largest growth', () => {
	const [[worst, bytes] = ['nothing', 0]] = [...grown].sort(([, a], [, b]) => b - a);
	process.stderr.write(`largest growth of memory in use: ${Math.round(bytes / MB)} MB (${worst})\n`);
	expect(grown.size).toBe(all.length);
});
