import type { INodeProperties } from 'n8n-workflow';
import { idempotencyKeyOption } from './idempotencyKey';
import { retryOptions, timeoutOption } from '../parameters/retryOptions';

/** The "Options" of a node that writes. */
export const writeOptionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [idempotencyKeyOption, ...retryOptions, timeoutOption],
};
