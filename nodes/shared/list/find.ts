import type { IDataObject, NodeOperationError } from 'n8n-workflow';
import { operationError } from '../errorText';
import type { ItemParameters } from '../parameters/itemParameters';
import type { Place } from '../parameters/read';
import { parameterError, readInteger } from '../parameters/read';
import type { NumberOption } from '../parameters/retryOptions';
import { readOption } from '../parameters/retryOptions';
import { runsAsTool } from '../service/context';
import { howToNarrow } from '../tool/result';
import type { Condition } from './conditions';
import { partName, readConditions } from './conditions';
import type { Notices } from './notices';
import { valuesAt } from './paths';
import type { RecordList } from './recordList';

export const maxRecordsToReadField: NumberOption = {
	displayName: 'Max Records to Read',
	name: 'maxRecordsToRead',
	type: 'number',
	typeOptions: { minValue: 1 },
	// 20,000 records take 200 requests. The service allows 120 a minute.
	default: 20_000,
	displayOptions: { show: { '@tool': [true] } },
	description:
		'How many records one call reads at most to find those that match. The service allows 12,000 a minute, shared by everything that uses the key. If they are not enough, the call fails and says so.',
};

export interface Search {
	conditions: Condition[];
	/** The maximum number of records to read; `Infinity` outside a tool. */
	mostRead: number;
}

/** Reads the conditions and, for a tool, Max Records to Read. Returns `undefined` if there are no conditions. */
export function readSearch(parameters: ItemParameters): Search | undefined {
	const conditions = readConditions(parameters);
	if (conditions.length === 0) return undefined;
	const isTool = runsAsTool(parameters.node);
	return { conditions, mostRead: isTool ? readOption(parameters, readInteger, maxRecordsToReadField) : Infinity };
}

/**
 * Yields the records that meet all conditions, page by page. It requests no page after `limit` matches.
 * @param read reads up to `most` records: one more than the search may examine, which shows that the list goes on.
 * @throws NodeOperationError when no record read has a condition's field, a value cannot be compared, or a tool has read the
 * maximum: more records may match than were found.
 */
export async function* matchingPages(
	place: Place,
	{ conditions, mostRead }: Search,
	limit: number,
	read: (most: number) => AsyncIterable<IDataObject[]>,
	{ columns = [], narrower }: Pick<RecordList, 'columns' | 'narrower'>,
	notices: Notices,
): AsyncGenerator<IDataObject[], void, undefined> {
	const absent = new Set(conditions.filter(({ path }) => !columns.includes(path)));
	let returned = 0;
	let examined = 0;
	let found = 0;
	for await (const page of read(mostRead + 1)) {
		returned += page.length;
		for (const condition of absent) {
			if (!page.some((record) => valuesAt(record, condition.path) !== undefined)) continue;
			absent.delete(condition);
			notices.noteField('empty', condition.path, true);
		}
		const matching: IDataObject[] = [];
		for (const record of page) {
			if (found === limit) break;
			if (examined === mostRead) {
				checkAbsent(place, absent, examined, notices);
				throw tooFarError(place, mostRead, found, narrower);
			}
			examined++;
			if (!conditions.every((condition) => meets(place, condition, record, examined))) continue;
			matching.push(record);
			found++;
		}
		yield matching;
		if (found === limit) break;
	}
	if (returned > 0) checkAbsent(place, absent, returned, notices);
}

function meets(place: Place, { path, holds, number }: Condition, record: IDataObject, position: number): boolean {
	const isMet = holds(valuesAt(record, path) ?? []);
	if (typeof isMet === 'boolean') return isMet;
	const next = 'Nothing was output. Put a condition before it that such records do not meet, or compare another field.';
	const problem = `cannot compare record ${position}, whose field "${path}" is not ${isMet}`;
	throw parameterError(place, partName('condition', number), problem, next);
}

function checkAbsent(place: Place, absent: ReadonlySet<Condition>, records: number, notices: Notices): void {
	for (const { number, path, findsAbsent } of absent) {
		if (!findsAbsent) {
			const next =
				'Nothing was output. Check the spelling: upper and lower case differ, and a dot reaches inside a field, as in profile.email.';
			const problem = `is "${path}", which none of the ${records} records read has`;
			throw parameterError(place, partName('field', number), problem, next);
		}
		notices.noteField('empty', path, false);
	}
}

function tooFarError(place: Place, mostRead: number, found: number, narrower: string | undefined): NodeOperationError {
	const next = howToNarrow(found, narrower, `raise "${maxRecordsToReadField.displayName}" under Options`);
	const message = `The first ${mostRead} records were read and ${found} of them match, but the list goes on`;
	const description = `Nothing was output: more may match. ${next}`;
	return operationError(place.node, message, { itemIndex: place.itemIndex, description });
}
