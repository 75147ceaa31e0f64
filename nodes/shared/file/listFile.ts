import { Hash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { Place } from '../fields/read';
import { systemClock } from '../service/clock';
import type { FileSettings } from './fields';
import { requestedAhead } from './requestedAhead';

type Functions = Pick<IExecuteFunctions | IExecuteSingleFunctions, 'helpers'>;

const NOTHING_YET = Buffer.alloc(0);

// A file takes a tenth less time than with a write for each page, and with three pages no less than with two (measured).
const PAGES_AT_ONCE = 2;

/**
 * Streams a list into n8n's binary data and returns one item for it. At most five pages are in memory, besides what n8n
 * itself keeps: the whole file, unless its binary data is in the file system (read in n8n 2.41.1 and 1.123.81).
 * @param note takes each page, in their order.
 * @throws the error of the page that cannot be read, or NodeOperationError when n8n cannot store the file. n8n 2.x then
 * deletes what it has written; n8n 1.x deletes it with the execution.
 */
export async function listFile(
	{ helpers }: Functions,
	place: Place,
	{ fileName, mimeType, field, encoder }: FileSettings,
	pages: AsyncIterable<IDataObject[]>,
	note: (page: IDataObject[]) => void,
	clock = systemClock,
): Promise<INodeExecutionData> {
	const readAt = new Date(clock.now()).toISOString();
	const read: Read = { records: 0, bytes: 0 };
	const bytesOf = (text: string) => {
		const chunk = Buffer.from(text);
		read.bytes += chunk.length;
		return chunk;
	};
	const encode = (group: IDataObject[][]) => {
		const texts = group.map((page) => {
			read.records += page.length;
			note(page);
			return encoder.page(page);
		});
		return bytesOf(texts.join(''));
	};
	async function* chunks() {
		let group: IDataObject[][] = [];
		let encoded: Buffer = NOTHING_YET;
		for await (const page of requestedAhead(pages, (error) => (read.failure = error), clock)) {
			if (page !== undefined) group.push(page);
			const isDue = page === undefined || group.length === PAGES_AT_ONCE;
			if (isDue) yield* inHalves(encoded);
			// Also where the walk can end, when n8n takes no more.
			yield NOTHING_YET;
			if (!isDue) continue;
			encoded = encode(group);
			group = [];
		}
		yield encoded;
		yield encode(group);
		yield bytesOf(encoder.end());
	}
	// A community node may not import node:stream. Hash is a stream (Node's documentation), so it has the static methods of one.
	const stream = Hash.from(chunks());
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

/**
 * n8n asks for the next chunk while it writes one (read in n8n 2.41.1). So what follows the halves is asked for when the
 * first is written, and the request for the next page has left: encoding would keep it waiting (measured: a sixth of the
 * time of a file).
 */
function* inHalves(chunk: Buffer): Generator<Buffer> {
	const half = chunk.length >> 1;
	yield chunk.subarray(0, half);
	yield chunk.subarray(half);
}

/** What was read of a list so far. */
interface Read {
	records: number;
	bytes: number;
	/** Why the last page could not be read. */
	failure?: Error;
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
