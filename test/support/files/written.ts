import type { IDataObject } from 'n8n-workflow';
import type { Format } from '../../../nodes/shared/list/file.ts';

/** Returns the texts of a file of these pages. */
export async function textsOf(format: Format, pages: IDataObject[][]): Promise<string[]> {
	async function* arriving() {
		yield* pages;
	}
	const texts: string[] = [];
	for await (const text of format(arriving())) texts.push(text);
	return texts;
}

/** Returns the whole file. */
export const written = async (format: Format, pages: IDataObject[][]) => (await textsOf(format, pages)).join('');
