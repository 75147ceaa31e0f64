import { Hash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { Place } from '../fields/read';
import type { Clock } from '../service/clock';
import { systemClock } from '../service/clock';
import type { Encoder } from './encoder';
import type { FileSettings } from './fields';

type Functions = Pick<IExecuteFunctions | IExecuteSingleFunctions, 'helpers'>;

// n8n 2.41 gives up a stream that it gathers in memory (all modes but the file system) after 300 s without data
// (N8N_HTTP_RESPONSE_BODY_READ_TIMEOUT). A wait for the rate limit may take longer.
const SIGN_OF_LIFE_MS = 30_000;
const NOTHING_YET = Buffer.alloc(0);

/**
 * Streams a list into n8n's binary data and returns one item for it. At most three pages are in memory, besides what n8n
 * itself keeps: the whole file, unless its binary data is in the file system (read in n8n 2.41.1 and 1.123.81).
 * @throws the error of the page that cannot be read, or NodeOperationError when n8n cannot store the file. n8n 2.x then
 * deletes what it has written; n8n 1.x deletes it with the execution.
 */
export async function listFile(
	{ helpers }: Functions,
	place: Place,
	{ fileName, mimeType, field, encoder }: FileSettings,
	pages: AsyncIterable<IDataObject[]>,
	clock = systemClock,
): Promise<INodeExecutionData> {
	const readAt = new Date(clock.now()).toISOString();
	const read: Read = { records: 0, bytes: 0 };
	// A community node may not import node:stream. Hash is a stream (Node's documentation), so it has the static methods of one.
	const stream = Hash.from(bytesOf(pages, encoder, read, clock));
	// n8n may have stopped to listen when the stream fails, and an error without a listener ends the process.
	stream.on('error', () => {});
	try {
		const binary = await helpers.prepareBinaryData(stream, fileName, mimeType);
		const json = { fileName: binary.fileName ?? fileName, records: read.records, bytes: read.bytes, readAt };
		return { json, binary: { [field]: binary }, pairedItem: { item: place.itemIndex } };
	} catch (error) {
		throw read.failure ?? notStored(place, error as Error);
	} finally {
		stream.destroy();
	}
}

/** What was read of a list so far. */
interface Read {
	records: number;
	bytes: number;
	/** Why the last page could not be read. */
	failure?: Error;
}

async function* bytesOf(
	pages: AsyncIterable<IDataObject[]>,
	encoder: Encoder,
	read: Read,
	clock: Clock,
): AsyncGenerator<Buffer> {
	const bytes = (text: string) => {
		const chunk = Buffer.from(text);
		read.bytes += chunk.length;
		return chunk;
	};
	const iterator = pages[Symbol.asyncIterator]();
	const request = () => {
		const page = iterator.next();
		page.catch((error: Error) => (read.failure = error));
		return page;
	};
	try {
		// The service works on the next page while this one is written.
		for (let page = request(); ;) {
			while (!(await settledWithin(page, SIGN_OF_LIFE_MS, clock))) yield NOTHING_YET;
			const { done, value } = await page;
			if (done === true) break;
			page = request();
			read.records += value.length;
			yield bytes(encoder.page(value));
		}
		yield bytes(encoder.end());
	} finally {
		await iterator.return?.();
	}
}

/** Whether the work succeeds within that time. Rejects as it does. */
async function settledWithin(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
	const settled = new AbortController();
	try {
		return await Promise.race([work.then(() => true), clock.wait(ms, settled.signal).then(() => false)]);
	} finally {
		settled.abort();
	}
}

function notStored({ node, itemIndex }: Place, cause: Error): NodeOperationError {
	const message = `n8n could not store the file: ${cause.message}`;
	const description =
		'Nothing was output. Check the free space of the disk and the size limits of the binary data mode (N8N_DEFAULT_BINARY_DATA_MODE) of this n8n.';
	const error = new NodeOperationError(node, cause, { message, description, itemIndex });
	// n8n replaces the message where the cause has a code, such as ENOSPC.
	error.message = message;
	return error;
}
