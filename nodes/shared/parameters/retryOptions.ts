import type { INodeProperties } from 'n8n-workflow';
import type { RetrySettings } from '../service/context';
import type { ItemParameters } from './itemParameters';
import { readInteger, readNumber } from './read';

// A timer of Node beyond 24 days fires at once. The renewal of an access token takes three timeouts at most: 3 days.
const DAY_SECONDS = 86_400;

export const MAX_TIMEOUT_MS = DAY_SECONDS * 1_000;

export interface NumberOption extends INodeProperties {
	default: number;
	typeOptions: { minValue: number; maxValue?: number };
}

const maxAttempts: NumberOption = {
	displayName: 'Maximum Attempts',
	name: 'maxAttempts',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 20 },
	default: 5,
	description: 'Max number of times to send one request when the service is busy or fails, including the first time',
};

const maxWait: NumberOption = {
	displayName: 'Maximum Wait',
	name: 'maxWait',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: DAY_SECONDS },
	default: 120,
	description:
		'Max number of seconds to wait when the rate limit is reached. If the service asks for a longer wait, the node stops at once and says when requests are allowed again.',
};

const timeout: NumberOption = {
	displayName: 'Timeout',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: DAY_SECONDS },
	default: 60,
	description: 'Max number of seconds to wait for one response from the service',
};

export function optionsWith(...own: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [...own, maxAttempts, maxWait, timeout].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}

export function readOption(
	parameters: ItemParameters,
	read: typeof readNumber,
	{ displayName, name, typeOptions, default: preset }: NumberOption,
): number {
	const value = parameters.optional(displayName, `options.${name}`) ?? preset;
	return read(parameters, displayName, value, typeOptions.minValue, typeOptions.maxValue);
}

export function readRetryOptions(parameters: ItemParameters): RetrySettings {
	return {
		maxAttempts: readOption(parameters, readInteger, maxAttempts),
		maxWaitMs: readOption(parameters, readNumber, maxWait) * 1_000,
		timeoutMs: readOption(parameters, readNumber, timeout) * 1_000,
	};
}
