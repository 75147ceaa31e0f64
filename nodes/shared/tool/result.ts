import type { IDataObject, NodeOperationError } from 'n8n-workflow';
import { operationError } from '../errorText';
import type { Place } from '../parameters/read';
import { parameterError } from '../parameters/read';
import { runsAsTool } from '../service/context';

/** The maximum number of records of one tool call, five of the service's pages. A model can neither use nor count more. */
export const MAX_RECORDS = 500;

/**
 * The most JSON characters of one tool call: about 25,000 to 40,000 tokens, a third of a small context window. n8n's Agents cut a
 * result at 50,000 tokens (read in 2.41.1); other callers put any size into the prompt.
 */
export const MAX_CHARACTERS = 100_000;

const TOO_MUCH = `more than ${MAX_CHARACTERS.toLocaleString('en')} characters`;

interface Listed {
	/** `narrower` is a clause that says how to get less without a lower Limit, such as "narrow the dates". */
	list: { narrower?: string | undefined };
	/** The number of records read, and of those that arrived again. */
	repeats: { readonly records: number; readonly count: number };
	isSearch: boolean;
}

/**
 * Yields up to `limit` records of a list. In a tool call, it throws as soon as they are too much for a prompt, and adds a sign
 * when more records follow, a search ended at its limit, or records arrived again. An empty list has one item, too: n8n would
 * pass an empty text to an AI Agent 3.
 * @param pagesUpTo lists `most` records: one more than a tool call returns, because the service may name a cursor after its last
 * record (a gap: API document, Resources, Page envelope). A search ends at its limit: one more match may take the whole list.
 * @throws NodeOperationError that says how to get less; for a Limit that is too high, before anything is read.
 */
export async function* boundedPages(
	place: Place,
	limit: number,
	{ list: { narrower }, repeats, isSearch }: Listed,
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
	if (records === 0) yield [{ matches: 0, recordsRead: repeats.records }];
	if (repeats.count > 0) yield [signOfRepeats(repeats.count, narrower)];
}

/**
 * Makes the last item of a result that ends before its list does. n8n passes all items as a JSON array (read and measured in
 * 2.41.1 and 1.123.81), and its Agents cut the middle of a long one. The note tells a model, and `isRecord` a program, that the
 * item is no record: the API document names no such field.
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

/** Like signOfMore, for a list in which records arrived again: no hint and no log reaches a model. */
function signOfRepeats(arrivedTwice: number, narrower: string | undefined): IDataObject {
	const records = arrivedTwice === 1 ? '1 record' : `${arrivedTwice} records`;
	const again = either('call this tool again', narrower);
	const note = `This is a note, not a record: the list changed while it was read. ${records} arrived twice, and others may be missing. ${capitalized(again)}. If the list still changes, say so, and do not count or add up these records as if they were right.`;
	return { isRecord: false, arrivedTwice, note };
}

/** Returns the object. @throws NodeOperationError if it is too large for the prompt of the agent that called the node. */
export function boundedObject(place: Place, object: IDataObject, narrower: string): IDataObject {
	if (runsAsTool(place.node) && JSON.stringify(object).length > MAX_CHARACTERS) {
		throw tooLargeError(place, `it has ${TOO_MUCH}`, 0, narrower);
	}
	return object;
}

function tooLargeError(place: Place, problem: string, fitting: number, narrower?: string): NodeOperationError {
	return operationError(place.node, `The result is too large for a tool call: ${problem}`, {
		itemIndex: place.itemIndex,
		description: `Nothing was output. ${howToNarrow(fitting, narrower)}`,
	});
}

/** Tells a tool's caller how to get less: the number of records that fit (0 if it does not matter), or `others`, as clauses. */
export function howToNarrow(fitting: number, ...others: Array<string | undefined>): string {
	const fewer = fitting === 0 ? undefined : `turn off "Return All" and set "Limit" to ${fitting} or less`;
	const ways = either(fewer, ...others);
	const wayText = ways === '' ? '' : `${capitalized(ways)}. `;
	return `${wayText}If you cannot set this, tell the person who built this tool.`;
}

function capitalized(text: string): string {
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function either(...ways: Array<string | undefined>): string {
	return ways.filter((way) => way !== undefined).join(', or ');
}
