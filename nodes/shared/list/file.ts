import { Hash } from 'node:crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { withOwnMessage } from '../errorText';
import type { Place } from '../parameters/read';
import type { Clock } from '../service/clock';
import { endsWithin, systemClock } from '../service/clock';
import type { ItemFunctions } from '../service/connection/connection';

// n8n 2.41 gathers a stream in memory in every binary data mode but the file system, and gives up after 300 s without data
// (N8N_HTTP_RESPONSE_BODY_READ_TIMEOUT). A wait for the rate limit may take longer.
const SIGN_OF_LIFE_MS = 30_000;

/** A writer of lists. It yields one text per page, even for an empty page, and may add one at the end. It keeps no record. */
export type Format = (pages: AsyncIterable<IDataObject[]>) => AsyncIterable<string>;

export interface FileSettings {
	fileName: string;
	mimeType: string;
	/** The name of the item's binary field for the file. */
	field: string;
	format: Format;
}

/**
 * Streams a list into n8n's binary data, and returns one item with the file. At most two pages are in memory, but n8n keeps the
 * file there, too, unless its binary data is in the file system (read in n8n 2.41.1 and 1.123.81).
 * @throws the error of the page that cannot be read, or NodeOperationError when n8n cannot store the file. n8n 2.x then deletes
 * the incomplete file; n8n 1.x deletes it with the execution.
 */
export async function listFile(
	{ helpers }: Pick<ItemFunctions, 'helpers'>,
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
		try {
			for await (const page of pages) {
				records += page.length;
				yield page;
			}
		} catch (error) {
			throw (pageError = error as Error);
		}
	}
	async function* chunks() {
		for await (const text of format(withSignsOfLife(counted(), clock))) {
			const chunk = Buffer.from(text);
			bytes += chunk.length;
			yield chunk;
		}
	}
	// A community node may not import node:stream. Hash is a stream (Node's documentation), so it inherits a stream's `from`.
	const stream = Hash.from(chunks());
	// The stream may fail after n8n has stopped listening. An error without a listener ends the process.
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

/** Yields the pages of a walk, and an empty page for every 30 s without a page. */
async function* withSignsOfLife(
	walk: AsyncGenerator<IDataObject[], void, undefined>,
	clock: Clock,
): AsyncGenerator<IDataObject[], void, undefined> {
	try {
		for (;;) {
			const next = walk.next();
			while (!(await endsWithin(SIGN_OF_LIFE_MS, next, clock))) yield [];
			const { done, value } = await next;
			if (done === true) return;
			yield value;
		}
	} finally {
		await walk.return();
	}
}

function storeError({ node, itemIndex }: Place, cause: Error): NodeOperationError {
	const message = `n8n could not store the file: ${cause.message}`;
	const description =
		'Nothing was output. Check the free space of the disk and the size limits of the binary data mode (N8N_DEFAULT_BINARY_DATA_MODE) of this n8n.';
	return withOwnMessage(new NodeOperationError(node, cause, { message, description, itemIndex }), message);
}
