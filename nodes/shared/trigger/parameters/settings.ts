import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { digestOf, wholeDigestOf } from '../../digest';
import { readDateTime } from '../../parameters/dates';
import type { ItemParameters } from '../../parameters/itemParameters';
import { withOptional } from '../../parameters/itemParameters';
import { isNothing, parameterError, readChoice, readInteger, readNumber } from '../../parameters/read';
import { readOption, readRetryOptions } from '../../parameters/retryOptions';
import type { Connection } from '../../service/connection/connection';
import type { RetrySettings } from '../../service/context';
import type { AfterRestart } from '../core/delivery';
import type { PollSettings } from '../core/ports';
import type { StoreSettings } from '../host/store/store';
import type { Source } from '../source';
import { maxOption, overlapOption } from './fields';
import { readFieldsToWatch } from './fieldsToWatch';
import { readFilters } from './filters';

const MINUTE_MS = 60_000;

/** After a Restart, in the core's words. The first two values are as earlier versions saved them. */
const AFTER_RESTART = { repeat: 'always', continue: 'never', repeatIfRecent: 'recent' } as const;

/** Reads the node's parameters. @throws NodeOperationError that names a parameter that cannot be used. */
export function readSettings(
	functions: IPollFunctions,
	connection: Connection,
	source: Source,
): { poll: PollSettings; store: StoreSettings; retry: RetrySettings } {
	const parameters = withOptional({
		node: functions.getNode(),
		itemIndex: 0,
		get: (name) => functions.getNodeParameter(name, ''),
		zone: functions.getTimezone(),
	});
	const { get } = parameters;
	const event = readChoice(parameters, 'Event', get('event'), Object.values(source.events));
	const keepsContent = event === source.events.newOrUpdated;
	return {
		poll: {
			keepsContent,
			fieldsToWatch: keepsContent ? readFieldsToWatch(parameters, get('fieldsToWatch'), source) : [],
			overlapMs: readOption(parameters, readNumber, overlapOption(source)) * MINUTE_MS,
			startFrom: readStart(parameters),
			maxRecords: readOption(parameters, readInteger, maxOption(source)),
			failedFilter: readFilters(parameters, get('filters') as IDataObject, source),
		},
		store: {
			subject: digestOf(`${wholeDigestOf(connection.reference, connection.baseUrl)}\n${event}`),
			keepsContent,
			afterRestart: readAfterRestart(parameters),
		},
		retry: readRetryOptions(parameters),
	};
}

function readAfterRestart(parameters: ItemParameters): AfterRestart {
	const displayName = 'After a Restart';
	const value = parameters.optional(displayName, 'options.afterRestart') ?? 'repeatIfRecent';
	const names = Object.keys(AFTER_RESTART) as Array<keyof typeof AFTER_RESTART>;
	return AFTER_RESTART[readChoice(parameters, displayName, value, names)];
}

function readStart(parameters: ItemParameters): 'now' | number {
	const startFrom = readChoice(parameters, 'Start From', parameters.get('startFrom'), ['now', 'date']);
	if (startFrom === 'now') return 'now';
	const date = parameters.get('startDate');
	if (!isNothing(date)) return Date.parse(readDateTime(parameters, 'Start Date', date, parameters.zone));
	throw parameterError(parameters, 'Start Date', 'is empty', 'Enter a date, or choose "Now" under "Start From".');
}
