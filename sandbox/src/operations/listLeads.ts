import { formatTimestamp } from '../timestamps.ts';
import type { Call } from './operation.ts';
import { pagedList } from './pagedList.ts';

interface LeadRow {
	position: number;
	given_name: string;
	family_name: string;
	username: string;
	phone: string | null;
	platform: string;
	stage: string;
	created_at: number;
}

/** Lists leads: GET /v1/leads/ (API document, Operations). */
export const listLeads = pagedList<LeadRow>({
	id: 'list_public_leads',
	scope: (switches) => (switches['lead-list-scope'] === 'none' ? undefined : switches['lead-list-scope']),
	table: 'leads',
	orderColumn: () => 'position',
	filters: [],
	conditions: () => [],
	present,
});

function present(call: Call, row: LeadRow): unknown {
	const { switches, identifiers } = call.organization;
	const text = identifiers.lead(row.position, switches['lead-id-kind']);
	const id = switches['lead-id-kind'] === 'number' ? Number(text) : text;
	const createdAt = formatTimestamp(row.created_at, switches['timestamp-format']);
	const email = `${row.username}@example.com`;
	switch (switches['lead-shape']) {
		case 'bare':
			return { id };
		case 'handle':
			return { lead_id: id, username: row.username, platform: row.platform };
		case 'nested':
			return {
				id,
				profile: { first_name: row.given_name, last_name: row.family_name },
				contact: { email, phone: row.phone },
				created_at: createdAt,
			};
		case 'flat':
			return {
				id,
				name: `${row.given_name} ${row.family_name}`,
				email,
				phone: row.phone,
				platform: row.platform,
				stage: row.stage,
				created_at: createdAt,
			};
	}
}
