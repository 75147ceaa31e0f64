import type { IDataObject, NodeOperationError } from 'n8n-workflow';
import { operationError } from '../errorText';
import type { Place } from '../parameters/read';
import { parameterError } from '../parameters/read';
import { runsAsTool } from '../service/context';

/** The most records that one tool call returns, five of the service's pages: a model can neither use nor count more. */
export const MAX_RECORDS = 500;

/**
 * The most characters of JSON that one tool call returns: about 25,000 to 40,000 tokens, a third of a model's smaller context
 * window. n8n's Agents cut a result at 50,000 tokens (read in 2.41.1); its other ways put any size into the prompt.
 */
export const MAX_CHARACTERS = 100_000;

const TOO_MUCH = `more than ${MAX_CHARACTERS.toLocaleString('en')} characters`;

/**
 * Yields up to `limit` records of a list. In a tool call it throws as soon as the records are too much for a prompt, and adds
 * a note when more records follow, or when a search has looked no further.
 * @param narrower how to get less, besides a lower Limit: a clause such as "narrow the dates".
 * @param pagesUpTo lists `most` records. A tool call lists one more than it returns, to know whether the list goes on: the
 * service may name a cursor after its last record (a gap: API document, Resources, Page envelope). A search ends at its limit:
 * finding one more match may take the whole list.
 * @throws NodeOperationError that says how to narrow; for a Limit that is too high in a tool call, before anything is read.
 */
export async function* boundedPages(
	place: Place,
	limit: number,
	{ narrower, isSearch = false }: { narrower?: string | undefined; isSearch?: boolean },
	pagesUpTo: (most: number) => AsyncIterable<IDataObject[]>,
): AsyncGenerator<IDataObject[], void, undefined> {
	if (!runsAsTool(place.node)) return yield* pagesUpTo(limit);
	if (limit !== Infinity && limit > MAX_RECORDS) {
		const next = `It is ${limit}. ${howToNarrow(MAX_RECORDS, narrower)}`;
		throw parameterError(place, 'Limit', `must be ${MAX_RECORDS} or less in a tool call`, next);
	}
	const most = Math.min(limit, MAX_RECORDS);
	let records = 0;
	let room = MAX_CHARACTERS;
	for await (const page of pagesUpTo(isSearch && limit !== Infinity ? most : most + 1)) {
		const wanted = page.slice(0, most - records);
		for (const record of wanted) {
			room -= JSON.stringify(record).length + 1;
			if (room < 0) {
				throw tooLargeError(place, `its first ${records + 1} records have ${TOO_MUCH}`, records, narrower);
			}
			records++;
		}
		yield wanted;
		if (wanted.length === page.length) continue;
		if (limit === Infinity) {
			throw tooLargeError(place, `it has more than ${MAX_RECORDS} records`, MAX_RECORDS, narrower);
		}
		yield [signOfMore(records, narrower)];
	}
	if (isSearch && records === limit) yield [signOfMore(records, narrower, isSearch)];
}

/**
 * Makes the last item of a result that ends before its list. All callers get all items, as a JSON array (read and measured in
 * n8n 2.41.1 and 1.123.81). n8n's Agents cut the middle of a long array, so the last item stays. `isRecord` tells a program
 * what the note tells a model; the API document names no field of this kind.
 */
function signOfMore(records: number, narrower: string | undefined, isSearch = false): IDataObject {
	const higher = records < MAX_RECORDS ? `set "Limit" higher, to ${MAX_RECORDS} at most` : undefined;
	const ways = either(higher, narrower);
	const toGetMore = ways === '' ? `One call returns ${MAX_RECORDS} at most.` : `To get more, ${ways}.`;
	const note = isSearch
		? `the search ended at "Limit" and looked no further, so more records may match. ${toGetMore} If you cannot, do not call these all that match.`
		: `the list does not end here. ${toGetMore} If you cannot, say that the list goes on, and do not count or add up these records as if they were all.`;
	const sign = isSearch ? 'moreMayMatch' : 'moreFollow';
	return { isRecord: false, recordsHere: records, [sign]: true, note: `This is a note, not a record: ${note}` };
}

/**
 * Returns the object, unless it is too much for the prompt of the agent that called the node.
 * @throws NodeOperationError that says how to narrow.
 */
export function boundedObject(place: Place, object: IDataObject, narrower: string): IDataObject {
	if (runsAsTool(place.node) && JSON.stringify(object).length > MAX_CHARACTERS) {
		throw tooLargeError(place, `it has ${TOO_MUCH}`, 0, narrower);
	}
	return object;
}

function tooLargeError(
	place: Place,
	problem: string,
	fitting: number,
	narrower: string | undefined,
): NodeOperationError {
	return operationError(place.node, `The result is too large for a tool call: ${problem}`, {
		itemIndex: place.itemIndex,
		description: `Nothing was output. ${howToNarrow(fitting, narrower)}`,
	});
}

/**
 * Tells the caller of a tool how to get less.
 * @param fitting how many records would do; 0 where the number does not matter.
 * @param others clauses such as "narrow the dates".
 */
export function howToNarrow(fitting: number, ...others: Array<string | undefined>): string {
	const fewer = fitting === 0 ? undefined : `turn off "Return All" and set "Limit" to ${fitting} or less`;
	const ways = either(fewer, ...others);
	const wayText = ways === '' ? '' : `${ways.charAt(0).toUpperCase()}${ways.slice(1)}. `;
	return `${wayText}If you cannot set this, tell the person who built this tool.`;
}

function either(...ways: Array<string | undefined>): string {
	return ways.filter((way) => way !== undefined).join(', or ');
}
