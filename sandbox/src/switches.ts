import { DURATION_FORM, parseDuration } from './duration.ts';

/** One behaviour the API document leaves open: its possible values, the default, and the gap it stands for. */
export interface SwitchDefinition {
	/** Allowed values, or `duration` for any duration. */
	readonly values: readonly string[] | 'duration';
	readonly default: string;
	readonly meaning: string;
	/** Section of the API document that leaves it open, or the rule it deliberately breaks. */
	readonly gap: string;
}

/** Every switch by name. */
export const SWITCHES = {
	order: {
		values: ['ascending', 'descending', 'shuffled'],
		default: 'descending',
		meaning: 'Direction of every list; shuffled is a stable pseudo-random order per organization',
		gap: 'Endpoints: ordering of lists',
	},
	'order-by': {
		values: ['created_at', 'updated_at', 'occurred_at'],
		default: 'created_at',
		meaning: 'Timestamp the revenue lists are ordered by; for manual records occurred_at means due_at',
		gap: 'Endpoints: ordering of lists',
	},
	'updated-since-bound': {
		values: ['inclusive', 'exclusive'],
		default: 'inclusive',
		meaning: 'Whether a record exactly at updated_since is in the list',
		gap: 'Endpoints: inclusivity of updated_since',
	},
	'compared-timestamp': {
		values: ['updated_at', 'created_at', 'occurred_at'],
		default: 'updated_at',
		meaning: 'Timestamp that updated_since compares; for manual records occurred_at means due_at',
		gap: 'Endpoints: which timestamp updated_since compares',
	},
	'date-bound': {
		values: ['inclusive', 'exclusive'],
		default: 'inclusive',
		meaning: 'Whether the day date_to itself is in the result',
		gap: 'Endpoints: inclusivity of date_from and date_to',
	},
	'date-compares': {
		values: ['occurred_at', 'created_at'],
		default: 'occurred_at',
		meaning: 'Timestamp that date_from and date_to compare; for manual records occurred_at means due_at',
		gap: 'Endpoints: which timestamp date_from and date_to compare',
	},
	'default-period': {
		values: ['all', '30d'],
		default: 'all',
		meaning: 'Period of the revenue operations when no date is given',
		gap: 'Endpoints: default period',
	},
	'date-header': {
		values: ['present', 'absent'],
		default: 'present',
		meaning: 'Whether responses carry a Date header',
		gap: 'The document names no Date header',
	},
	'clock-skew': {
		values: 'duration',
		default: '0s',
		meaning: 'How far the organization’s clock is ahead of this machine’s; may be negative',
		gap: 'The document says nothing about the service’s clock',
	},
	'timestamp-format': {
		values: ['milliseconds', 'seconds', 'offset'],
		default: 'milliseconds',
		meaning: 'Form of date-time values: 3 decimals and Z, whole seconds and Z, or a +02:00 offset',
		gap: 'Resources: date-time without a precision or an offset',
	},
	'lead-shape': {
		values: ['flat', 'nested', 'handle', 'bare'],
		default: 'flat',
		meaning: 'Fields of a lead',
		gap: 'Resources: fields of a lead record',
	},
	'lead-id-kind': {
		values: ['text', 'numeric-text', 'number', 'unicode'],
		default: 'text',
		meaning:
			'Form of lead ids; a number is one in the lead list, and text in other records; unicode ids have characters that a URL must encode',
		gap: 'Resources: form of lead ids',
	},
	'lead-list-scope': {
		values: ['leads:read', 'none', 'leads:write'],
		default: 'leads:read',
		meaning: 'Scope the lead list requires',
		gap: 'Authentication: scope required by the lead list',
	},
	'amount-unit': {
		values: ['minor', 'major'],
		default: 'minor',
		meaning: 'Unit of amount, fee and net; only the data changes',
		gap: 'Resources: unit of amount, fee and net',
	},
	'summary-when-empty': {
		values: ['zeros', 'empty-arrays'],
		default: 'empty-arrays',
		meaning: 'by_product and by_provider of a period without transactions: every known name with zeros, or empty',
		gap: 'Endpoints: summary of an empty period',
	},
	'tag-response': {
		values: ['200-object', '200-empty', '201-object', '204'],
		default: '200-object',
		meaning: 'Status and body of adding a tag',
		gap: 'Endpoints: status and response body of adding a tag',
	},
	'automation-status': {
		values: ['201', '200'],
		default: '201',
		meaning: 'Status of creating a keyword automation',
		gap: 'Endpoints: success status of keyword automation creation',
	},
	'automation-extra': {
		values: ['none', 'fields'],
		default: 'none',
		meaning: 'Whether the created automation carries more than id and is_active',
		gap: 'Endpoints: response fields beyond id and is_active',
	},
	'automation-required': {
		values: ['all', 'name', 'none'],
		default: 'all',
		meaning: 'Which of the shown automation fields must be sent',
		gap: 'Resources: required fields of a keyword automation',
	},
	'automation-comment-type': {
		values: ['any', 'ANY_POST'],
		default: 'any',
		meaning: 'Accepted comment_type values',
		gap: 'Resources: other allowed comment_type values',
	},
	'automation-same-name': {
		values: ['allowed', 'conflict'],
		default: 'allowed',
		meaning: 'Whether a second automation of the same name is a state conflict (409)',
		gap: 'Errors: what counts as a state conflict',
	},
	cursors: {
		values: ['position', 'offset', 'page-number', 'page-size', 'scroll'],
		default: 'position',
		meaning:
			'What is behind a cursor: the last record; how many records, or pages of this page_size, came before; the last record, for the same page_size only; a scroll, whose cursor stays the same while each request moves it on',
		gap: 'Endpoints: a cursor is opaque',
	},
	'cursor-lifetime': {
		values: 'duration',
		default: '1h',
		meaning: 'How long a cursor is accepted',
		gap: 'Endpoints: when an old cursor is rejected',
	},
	'cursor-rejection': {
		values: ['400', '404', '409', '500'],
		default: '400',
		meaning: 'Status of a rejected cursor',
		gap: 'Errors: status used for a rejected cursor',
	},
	'cursor-filters': {
		values: ['bound', 'carried'],
		default: 'bound',
		meaning: 'Filters beside a cursor: must be those of the first page, or are ignored as the cursor carries them',
		gap: 'Endpoints: whether filters are repeated with a cursor',
	},
	'key-retention': {
		values: 'duration',
		default: '24h',
		meaning: 'How long an Idempotency-Key is remembered',
		gap: 'Limits: retention time of idempotency keys',
	},
	'key-reuse': {
		values: ['conflict', 'reject', 'replay'],
		default: 'conflict',
		meaning: 'A known Idempotency-Key with another path or body: 409, 400, or the stored response of the first',
		gap: 'Endpoints: a key that comes with another request',
	},
	'oauth-token-lifetime': {
		values: 'duration',
		default: '10m',
		meaning: 'How long an OAuth access token is accepted, in real time; whole seconds, at least one',
		gap: 'Authentication: token lifetimes',
	},
	'unknown-query': {
		values: ['ignore', 'reject'],
		default: 'ignore',
		meaning: 'Unknown query parameters: ignored, or 400',
		gap: 'Endpoints: unknown query parameters',
	},
	'conflict-status-body': {
		values: ['envelope', 'empty'],
		default: 'envelope',
		meaning: 'Body of a 409',
		gap: 'Errors: body details of 409',
	},
	'server-error-body': {
		values: ['envelope', 'html', 'empty'],
		default: 'envelope',
		meaning: 'Body of a 5xx',
		gap: 'Errors: body details of 5xx',
	},
	'error-type-style': {
		values: ['snake', 'code'],
		default: 'snake',
		meaning: 'Form of error.type: invalid_request or E400',
		gap: 'Errors: values of error.type',
	},
	'error-fields-shape': {
		values: ['object-of-arrays', 'object-of-strings', 'absent'],
		default: 'object-of-arrays',
		meaning: 'Form of error.fields',
		gap: 'Errors: structure of error.fields',
	},
	'retry-after-style': {
		values: ['seconds', 'http-date', 'malformed', 'absent'],
		default: 'seconds',
		meaning: 'Form of the Retry-After header of a 429; every form but seconds breaks the document',
		gap: 'Errors: the document says seconds; for robustness',
	},
	'retry-after-body': {
		values: ['present', 'absent'],
		default: 'present',
		meaning: 'Whether a 429 carries error.retry_after',
		gap: 'Errors: error.retry_after is optional',
	},
} as const satisfies Record<string, SwitchDefinition>;

type SwitchName = keyof typeof SWITCHES;
type Values = { readonly [N in SwitchName]: (typeof SWITCHES)[N]['values'] };

/** Switch settings by name; only those named differ from the defaults. */
export type Switches = { -readonly [N in SwitchName]?: Values[N] extends ReadonlyArray<infer V> ? V : string };
/** A value for every switch. */
export type AllSwitches = Required<Switches>;

/** Each switch as it is unless it is set. */
export const SWITCH_DEFAULTS = Object.fromEntries(
	Object.entries(SWITCHES).map(([name, definition]) => [name, definition.default]),
) as AllSwitches;

/** Raised for a switch that does not exist or a value it does not take; the message names what is accepted. */
export class SwitchError extends Error {
	override readonly name = 'SwitchError';
}

/** Checks settings from outside and returns them typed. @throws SwitchError for an unknown name or value. */
export function parseSwitches(settings: Record<string, unknown>): Switches {
	for (const [name, value] of Object.entries(settings)) {
		if (!Object.hasOwn(SWITCHES, name)) {
			throw new SwitchError(`There is no switch "${name}". The switches are: ${Object.keys(SWITCHES).join(', ')}`);
		}
		const { values } = SWITCHES[name as SwitchName];
		const fits =
			values === 'duration'
				? typeof value === 'string' && parseDuration(value) !== undefined
				: (values as readonly unknown[]).includes(value);
		if (fits) continue;
		const accepted = values === 'duration' ? DURATION_FORM : values.join(', ');
		throw new SwitchError(`Switch "${name}" does not take ${JSON.stringify(value)}. It takes: ${accepted}`);
	}
	return settings as Switches;
}

/** Milliseconds of a switch whose values are durations. */
export function switchDuration(
	switches: AllSwitches,
	name: 'clock-skew' | 'cursor-lifetime' | 'key-retention' | 'oauth-token-lifetime',
): number {
	return parseDuration(switches[name]) ?? 0;
}
