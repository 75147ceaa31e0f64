import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { readDateTime } from '../../parameters/dates';
import { readerOf } from '../../parameters/expressions';
import type { Place } from '../../parameters/read';
import { parameterError, readInteger, readNumber } from '../../parameters/read';
import { readRetryOptions } from '../../parameters/retryOptions';
import type { Connection } from '../../service/connection/connection';
import type { RetrySettings } from '../../service/context';
import { digestOf } from '../../digest';
import type { Source } from '../source';
import { maxDisplayName, MAX_OVERLAP_MINUTES } from './fields';
import { readFieldsToWatch } from './fieldsToWatch';
import { readFilters } from './filters';
import type { PollSettings } from '../core/ports';

const MINUTE_MS = 60_000;

/** After a Restart, in the core's words. The first two are values that earlier versions saved. */
const AFTER_RESTART = new Map<unknown, PollSettings['afterRestart']>([
	['repeat', 'always'],
	['continue', 'never'],
	['repeatIfRecent', 'recent'],
]);

/** Reads the node's parameters. @throws NodeOperationError that names the one that cannot be used. */
export function readSettings(
	functions: IPollFunctions,
	connection: Connection,
	source: Source,
): { poll: PollSettings; retry: RetrySettings } {
	const place: Place = { node: functions.getNode(), itemIndex: 0 };
	const event = functions.getNodeParameter('event') as string;
	const options = functions.getNodeParameter('options', {}) as IDataObject;
	const max = maxDisplayName(source);
	const keepsContent = event === source.events.newOrUpdated;
	const option = readerOf(place, 'options', options);
	return {
		poll: {
			identity: digestOf(`${connection.identity}\n${event}`),
			keepsContent,
			fieldsToWatch: keepsContent
				? readFieldsToWatch(place, functions.getNodeParameter('fieldsToWatch', []), source)
				: [],
			afterRestart: AFTER_RESTART.get(option('After a Restart', 'afterRestart')) ?? 'recent',
			overlapMs: readNumber(place, 'Overlap', option('Overlap', 'overlap') ?? 5, 1, MAX_OVERLAP_MINUTES) * MINUTE_MS,
			startFrom: readStart(functions, place),
			maxRecords: readInteger(place, max, option(max, source.maxName) ?? 5_000, 1, 50_000),
			matches: readFilters(place, functions.getNodeParameter('filters', {}) as IDataObject, source),
		},
		retry: readRetryOptions(place, options),
	};
}

function readStart(functions: IPollFunctions, place: Place): 'now' | number {
	if (functions.getNodeParameter('startFrom') !== 'date') return 'now';
	const date = readDateTime(place, 'Start Date', functions.getNodeParameter('startDate', ''), functions.getTimezone());
	if (date !== undefined) return Date.parse(date);
	throw parameterError(place, 'Start Date', 'is empty', 'Enter a date, or choose "Now" under "Start From".');
}
