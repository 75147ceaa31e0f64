import type { INodeProperties } from 'n8n-workflow';
import type { ItemParameters } from '../parameters/itemParameters';
import { readBoolean, readInteger } from '../parameters/read';

/** Return All and Limit. */
export function limitFields(what: string): INodeProperties[] {
	return [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
			builderHint: {
				propertyHint:
					'May take minutes: the rate limit allows 12,000 records a minute. Leave it off, and set Limit, unless every record is needed.',
			},
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 50,
			displayOptions: { show: { returnAll: [false] } },
			description: 'Max number of results to return',
			hint: `Turn on Return All for every ${what}`,
		},
	];
}

/** How many records to request; `Infinity` for all. */
export function readLimit(parameters: ItemParameters): number {
	const returnAll = readBoolean(parameters, 'Return All', parameters.get('returnAll'));
	return returnAll ? Infinity : readInteger(parameters, 'Limit', parameters.get('limit'), 1);
}
