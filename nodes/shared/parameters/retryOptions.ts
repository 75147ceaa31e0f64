import type { INodeProperties } from 'n8n-workflow';
import type { RetrySettings } from '../service/context';
import type { ItemParameters } from './itemParameters';
import { readInteger, readNumber } from './read';

// A timer of Node beyond 24 days fires at once; the renewal of an access token may take three timeouts.
const DAY_SECONDS = 86_400;

/** The longest time to wait for one response, in milliseconds. */
export const MAX_TIMEOUT_MS = DAY_SECONDS * 1_000;

/** How a node waits and retries: options that every node of the package has. */
const RETRY_OPTIONS: INodeProperties[] = [
	{
		displayName: 'Maximum Attempts',
		name: 'maxAttempts',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 20 },
		default: 5,
		description: 'Max number of times to send one request when the service is busy or fails, including the first time',
	},
	{
		displayName: 'Maximum Wait',
		name: 'maxWait',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: DAY_SECONDS },
		default: 120,
		description:
			'Max number of seconds to wait when the rate limit is reached. If the service asks for a longer wait, the node stops at once and says when requests are allowed again.',
	},
	{
		displayName: 'Timeout',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: DAY_SECONDS },
		default: 60,
		description: 'Max number of seconds to wait for one response from the service',
	},
];

/** The "Options" of a node, with its own. */
export function optionsWith(...own: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [...own, ...RETRY_OPTIONS].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}

/** Reads the options above; durations in milliseconds. */
export function readRetryOptions(parameters: ItemParameters): RetrySettings {
	const { optional } = parameters;
	const attempts = 'Maximum Attempts';
	const milliseconds = (displayName: string, path: string, preset: number, min: number) =>
		readNumber(parameters, displayName, optional(displayName, path) ?? preset, min, DAY_SECONDS) * 1_000;
	return {
		maxAttempts: readInteger(parameters, attempts, optional(attempts, 'options.maxAttempts') ?? 5, 1, 20),
		maxWaitMs: milliseconds('Maximum Wait', 'options.maxWait', 120, 0),
		timeoutMs: milliseconds('Timeout', 'options.timeout', 60, 1),
	};
}
