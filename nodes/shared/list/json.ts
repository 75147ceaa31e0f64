import type { IDataObject } from 'n8n-workflow';

export async function* jsonArray(pages: AsyncIterable<IDataObject[]>): AsyncGenerator<string, void, undefined> {
	let separator = '[\n';
	for await (const page of pages) {
		let text = '';
		for (const record of page) {
			text += separator + JSON.stringify(record);
			separator = ',\n';
		}
		yield text;
	}
	yield separator === ',\n' ? '\n]\n' : '[]\n';
}

/** Writes JSON Lines (jsonlines.org): one record per line, and nothing else. */
export async function* jsonLines(pages: AsyncIterable<IDataObject[]>): AsyncGenerator<string, void, undefined> {
	for await (const page of pages) yield page.map((record) => `${JSON.stringify(record)}\n`).join('');
}
