import { Hash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { withOwnMessage } from '../errorText';
import type { Place } from '../parameters/read';
import type { Clock } from '../service/clock';
import { systemClock } from '../service/clock';

// n8n 2.41 gives up a stream that it gathers in memory (all modes but the file system) after 300 s without data
// (N8N_HTTP_RESPONSE_BODY_READ_TIMEOUT). A wait for the rate limit may take longer.
const SIGN_OF_LIFE_MS = 30_000;

/** Turns a list into text: one text for each page, even an empty page, and perhaps one at the end. It keeps no record. */
export type Format = (pages: AsyncIterable<IDataObject[]>) => AsyncIterable<string>;

export interface FileSettings {
	fileName: string;
	mimeType: string;
	/** The binary field of the item that the file is put in. */
	field: string;
	format: Format;
}

/**
 * Streams a list into n8n's binary data and returns one item with the file. At most two pages are in memory: the one that n8n
 * writes, and the next. n8n itself keeps the whole file, unless its binary data is in the file system (read in n8n 2.41.1 and
 * 1.123.81).
 * @throws the error of the page that cannot be read, or NodeOperationError when n8n cannot store the file. n8n 2.x then
 * deletes what it has written; n8n 1.x deletes it with the execution.
 */
export async function listFile(
	{ helpers }: Pick<IExecuteFunctions | IExecuteSingleFunctions, 'helpers'>,
	place: Place,
	{ fileName, mimeType, field, format }: FileSettings,
	pages: AsyncIterable<IDataObject[]>,
	clock = systemClock,
): Promise<INodeExecutionData> {
	const readAt = new Date(clock.now()).toISOString();
	let records = 0;
	let bytes = 0;
	let pageError: Error | undefined;
	async function* counted() {
		for await (const page of withSignsOfLife(pages, (error) => (pageError = error), clock)) {
			records += page.length;
			yield page;
		}
	}
	async function* chunks() {
		for await (const text of format(counted())) {
			const chunk = Buffer.from(text);
			bytes += chunk.length;
			yield chunk;
		}
	}
	// A community node may not import node:stream. Hash is a stream (Node's documentation), so it has the static methods of one.
	const stream = Hash.from(chunks());
	// n8n may have stopped listening when the stream fails, and an error without a listener ends the process.
	stream.on('error', () => {});
	try {
		const binary = await helpers.prepareBinaryData(stream, fileName, mimeType);
		const json = { fileName: binary.fileName ?? fileName, records, bytes, readAt };
		return { json, binary: { [field]: binary }, pairedItem: { item: place.itemIndex } };
	} catch (error) {
		throw pageError ?? storeError(place, error as Error);
	} finally {
		stream.destroy();
	}
}

/**
 * Yields the pages of a list, and an empty page for every 30 s of waiting for one.
 * @param noteError gets the error of a page that cannot be read, before the walk throws it.
 */
async function* withSignsOfLife(
	pages: AsyncIterable<IDataObject[]>,
	noteError: (error: Error) => void,
	clock: Clock,
): AsyncGenerator<IDataObject[], void, undefined> {
	const walk = pages[Symbol.asyncIterator]();
	try {
		for (;;) {
			const next = walk.next();
			next.catch(noteError);
			while (!(await endsWithin(SIGN_OF_LIFE_MS, next, clock))) yield [];
			const { done, value } = await next;
			if (done === true) return;
			yield value;
		}
	} finally {
		await walk.return?.();
	}
}

async function endsWithin(ms: number, work: Promise<unknown>, clock: Clock): Promise<boolean> {
	const over = new AbortController();
	const end = () => over.abort();
	work.then(end, end);
	await clock.wait(ms, over.signal);
	return over.signal.aborted;
}

function storeError({ node, itemIndex }: Place, cause: Error): NodeOperationError {
	const message = `n8n could not store the file: ${cause.message}`;
	const description =
		'Nothing was output. Check the free space of the disk and the size limits of the binary data mode (N8N_DEFAULT_BINARY_DATA_MODE) of this n8n.';
	return withOwnMessage(new NodeOperationError(node, cause, { message, description, itemIndex }), message);
}
