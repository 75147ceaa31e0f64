import type { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { IBinaryData, IDataObject, IExecuteFunctions, INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { listFile } from '../../../../nodes/shared/list/file.ts';
import { jsonLines } from '../../../../nodes/shared/list/json.ts';
import { ManualClock } from '../../../support/scripted/clock.ts';
import { Work } from '../../../support/scripted/work.ts';

type Store = (stream: Readable) => Promise<void>;

const place = { node: { name: 'Node', type: 'node', parameters: {} } as unknown as INode, itemIndex: 3 };

/** Writes a list, with `store` for n8n's binary data. */
async function write(pages: AsyncIterable<IDataObject[]>, store: Store, clock = new ManualClock()) {
	const prepareBinaryData = async (stream: Readable, fileName: string, mimeType: string): Promise<IBinaryData> => {
		await store(stream);
		return { data: 'filesystem-v2', id: 'id', fileName, mimeType };
	};
	const functions = { helpers: { prepareBinaryData } } as unknown as IExecuteFunctions;
	const settings = { fileName: 'a.jsonl', mimeType: 'm', field: 'list', format: jsonLines };
	return await listFile(functions, place, settings, pages, clock);
}

const gather = (chunks: Buffer[]) => async (stream: Readable) => {
	for await (const chunk of stream) chunks.push(chunk as Buffer);
};

/** Pages that count how many were taken, and whether the walk has ended. */
class Pages {
	taken = 0;
	ended = false;

	constructor(
		private readonly count: number,
		private readonly before: (page: number) => Promise<void> | void = () => {},
	) {}

	async *[Symbol.asyncIterator](): AsyncGenerator<IDataObject[]> {
		try {
			for (let page = 1; page <= this.count; page++) {
				this.taken++;
				await this.before(page);
				yield [{ page }];
			}
		} finally {
			this.ended = true;
		}
	}
}

test('the item has the file, the records and bytes in it, and when it was read', async () => {
	const chunks: Buffer[] = [];
	const item = await write(new Pages(3), gather(chunks));
	expect(Buffer.concat(chunks).toString()).toBe('{"page":1}\n{"page":2}\n{"page":3}\n');
	const json = { fileName: 'a.jsonl', records: 3, bytes: 33, readAt: '2026-01-01T00:00:00.000Z' };
	const binary = { list: { data: 'filesystem-v2', id: 'id', fileName: 'a.jsonl', mimeType: 'm' } };
	expect(item).toEqual({ json, binary, pairedItem: { item: 3 } });
});

test('while n8n writes a page the next is read, and no more', async () => {
	const pages = new Pages(100);
	const writing = new Work();
	const written = write(pages, async (stream) => {
		for await (const chunk of stream) if ((chunk as Buffer).length > 0) await writing.run();
	});
	for (let page = 1; page <= 100; page++) {
		while (writing.started < page || pages.taken < Math.min(page + 1, 100)) await turn();
		for (let round = 0; round < 5; round++) await turn();
		expect(pages.taken).toBe(Math.min(page + 1, 100));
		await writing.end();
	}
	await expect(written).resolves.toMatchObject({ json: { records: 100 } });
});

test('while a page takes long, n8n sees that the stream lives, and the file is the same', async () => {
	const clock = new ManualClock();
	const waiting = new Work();
	const chunks: Buffer[] = [];
	const pages = new Pages(2, async (page) => (page === 2 ? await waiting.run() : undefined));
	const written = write(pages, gather(chunks), clock);
	while (waiting.started === 0) await turn();
	for (let minute = 1; minute <= 10; minute++) {
		await clock.advance(60_000);
		while (chunks.length < 1 + minute) await turn();
	}
	await waiting.end();
	await expect(written).resolves.toMatchObject({ json: { records: 2, bytes: 22 } });
	expect(Buffer.concat(chunks).toString()).toBe('{"page":1}\n{"page":2}\n');
});

test('the error of a page is thrown as it is', async () => {
	const broken = new Error('page 3 is broken');
	const pages = new Pages(5, (page) => {
		if (page === 3) throw broken;
	});
	// A store may throw an error of its own for a stream that breaks off.
	const closed = async () => await Promise.reject(new Error('Stream closed before completing'));
	const store: Store = async (stream) => await gather([])(stream).catch(closed);
	await expect(write(pages, store)).rejects.toBe(broken);
	expect(pages.taken).toBe(3);
});

describe('when n8n cannot store the file', () => {
	const denied = () => Object.assign(new Error("EACCES: permission denied, open 'x'"), { code: 'EACCES' });

	test('the error says so, and the walk ends', async () => {
		const pages = new Pages(100);
		const error = await write(pages, async (stream) => {
			for await (const chunk of stream) if ((chunk as Buffer).length > 0 && pages.taken > 1) throw denied();
		}).catch((thrown: unknown) => thrown as NodeOperationError);
		expect(error).toBeInstanceOf(NodeOperationError);
		const { message, context } = error as NodeOperationError;
		expect(message).toBe("n8n could not store the file: EACCES: permission denied, open 'x'");
		expect(context.itemIndex).toBe(3);
		while (!pages.ended) await turn();
		expect(pages.taken).toBeLessThan(4);
	});

	test.each([
		['arrives', () => {}],
		[
			'fails',
			() => {
				throw new Error('too late');
			},
		],
	])('the walk ends with the page that is being read, even when it %s', async (_how, end) => {
		const reading = new Work();
		const pages = new Pages(5, async (page) => {
			if (page === 1) await reading.run();
			end();
		});
		let left: Readable | undefined;
		const written = write(pages, async (stream) => {
			left = stream.resume();
			while (reading.started === 0) await turn();
			throw denied();
		});
		await expect(written).rejects.toThrow('EACCES');
		await reading.end();
		while (!pages.ended) await turn();
		expect(pages.taken).toBe(1);
		// Without a listener, an error of the stream would end n8n.
		expect(left?.listenerCount('error')).toBeGreaterThan(0);
	});
});
