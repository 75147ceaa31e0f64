import type { OperationResponse } from '../response.ts';
import { ServiceError } from '../serviceError.ts';
import { formatTimestamp } from '../timestamps.ts';
import type { Call, Operation } from './operation.ts';

interface Definition {
	name?: string;
	is_active?: boolean;
	keywords?: string[];
	comment_type?: string;
	replies?: Array<{ text?: string }>;
}

const REQUIRED = {
	all: ['name', 'is_active', 'keywords', 'comment_type', 'replies'],
	name: ['name'],
	none: [],
} as const satisfies Record<string, ReadonlyArray<keyof Definition>>;

/** Creates a keyword automation: POST /v1/automations/keyword/ (API document, Operations). */
export const createKeywordAutomation: Operation = {
	id: 'create_public_keyword_automation',
	kind: 'write',
	scope: () => 'automations:write',
	roles: ['Creator', 'Manager'],
	available: (organization) => organization.keywordAutomations,
	perform,
};

function perform(call: Call): OperationResponse {
	const definition = call.body as Definition;
	check(call, definition);
	const { switches, number, identifiers } = call.organization;
	const sequence = call.database.run(
		'INSERT INTO automations (organization, id, definition, idempotency_key, at) VALUES (?, ?, ?, ?, ?)',
		number,
		'',
		JSON.stringify(definition),
		call.idempotencyKey,
		call.now,
	);
	const id = identifiers.automation(sequence);
	call.database.run('UPDATE automations SET id = ? WHERE sequence = ?', id, sequence);
	const created = { id, is_active: definition.is_active ?? false };
	const more = { ...definition, created_at: formatTimestamp(call.now, switches['timestamp-format']) };
	return {
		status: Number(switches['automation-status']),
		headers: {},
		body: switches['automation-extra'] === 'fields' ? { ...more, ...created } : created,
	};
}

function check(call: Call, definition: Definition): void {
	const { switches, number } = call.organization;
	const missing = REQUIRED[switches['automation-required']].filter((name) => definition[name] === undefined);
	if (missing.length > 0) {
		throw new ServiceError(400, `The request is invalid: ${missing.join(', ')} must be sent`, {
			fields: Object.fromEntries(missing.map((name) => [name, ['is required']])),
		});
	}
	const { comment_type: commentType, name } = definition;
	if (switches['automation-comment-type'] === 'ANY_POST' && (commentType ?? 'ANY_POST') !== 'ANY_POST') {
		throw new ServiceError(400, 'The request is invalid: comment_type must be ANY_POST', {
			fields: { comment_type: ['must be ANY_POST'] },
		});
	}
	if (switches['automation-same-name'] === 'allowed') return;
	const same = call.database.get(
		"SELECT 1 FROM automations WHERE organization = ? AND definition ->> 'name' = ?",
		number,
		name ?? '',
	);
	if (same) throw new ServiceError(409, 'There is already an automation of this name');
}
