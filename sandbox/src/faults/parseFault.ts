import type { ValidateFunction } from 'ajv';
import { Ajv } from 'ajv';
import { strictObject } from '../jsonSchema.ts';
import type { Fault, FaultName } from './fault.ts';

interface Shape {
	properties: Record<string, object>;
	required?: readonly string[];
}

const WHEN = { enum: ['before', 'after'] };
const HEADERS = { type: 'object', additionalProperties: { type: 'string' } };
const STATUS = { type: 'integer', minimum: 200, maximum: 599 };
const SECONDS = { type: 'integer', minimum: 0 };

const SHAPES: Record<FaultName, Shape> = {
	status: {
		properties: {
			status: STATUS,
			headers: HEADERS,
			body: {},
			type: { type: 'string' },
			message: { type: 'string' },
			retry_after: SECONDS,
			when: WHEN,
		},
		required: ['status'],
	},
	reset: { properties: { when: WHEN }, required: ['when'] },
	stall: {
		properties: { ms: { type: 'integer', minimum: 0 }, then: { enum: ['respond', 'reset'] }, when: WHEN },
		required: ['ms', 'then'],
	},
	truncate: {
		properties: { bytes: { type: 'integer', minimum: 0 }, content_length: { enum: ['full', 'cut'] } },
		required: ['bytes'],
	},
	replace: {
		properties: {
			body: { type: 'string' },
			content_type: { type: 'string' },
			status: STATUS,
			headers: HEADERS,
			when: WHEN,
		},
		required: ['body', 'content_type'],
	},
	repeat_cursor: {
		properties: {
			cycle: { type: 'integer', minimum: 1 },
			cursors: { type: 'array', items: { type: 'string' }, minItems: 1 },
		},
	},
	next_cursor: { properties: { value: {}, omit: { type: 'boolean' } } },
	drop_field: { properties: { path: { type: 'string', minLength: 1 } }, required: ['path'] },
	duplicate_page: { properties: {} },
	reorder_page: { properties: {} },
	still_running: { properties: { applied: { type: 'boolean' } }, required: ['applied'] },
	expire_cursor: { properties: {} },
};

const SCHEDULE = {
	match: strictObject({
		method: { enum: ['GET', 'POST'] },
		path: { type: 'string' },
		page: { type: 'integer', minimum: 1 },
		idempotency_key: { type: 'string' },
	}),
	times: { type: 'integer', minimum: -1, not: { const: 0 } },
	skip: { type: 'integer', minimum: 0 },
	probability: { type: 'number', minimum: 0, maximum: 1 },
};

const ajv = new Ajv({ allErrors: true });
const validators = new Map<string, ValidateFunction>(
	Object.entries(SHAPES).map(([action, { properties, required = [] }]) => [
		action,
		ajv.compile(strictObject({ action: {}, ...SCHEDULE, ...properties }, ['action', ...required])),
	]),
);

/** Checks a fault from outside. @throws Error whose message names what is accepted. */
export function parseFault(value: unknown): Fault {
	const action = (value as { action?: unknown } | null)?.action;
	const validate = validators.get(String(action));
	if (validate === undefined) {
		throw new Error(
			`There is no fault action ${JSON.stringify(action)}. The actions are: ${[...validators.keys()].join(', ')}`,
		);
	}
	if (!validate(value)) {
		throw new Error(
			`The fault "${String(action)}" is not valid: ${ajv.errorsText(validate.errors, { dataVar: 'fault' })}`,
		);
	}
	return value as Fault;
}
