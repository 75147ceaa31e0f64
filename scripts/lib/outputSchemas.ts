/** A type in the form of JSON Schema. */
export interface Fields {
	[name: string]: { type: string };
}

/** An output whose fields are documented. */
interface DocumentedOutput {
	/** The schema of the OpenAPI document whose fields it has. */
	record: string;
	/** The fields that the node adds. */
	added?: Fields;
}

/** The receipt of nodes/shared/change/changeItems.ts. */
const RECEIPT: Fields = {
	idempotencyKey: { type: 'string' },
	replayed: { type: 'boolean' },
	requestId: { type: 'string' },
};

/** By node and operation, if it has one. Leads have none: their fields are a gap (API document, Resources, Gaps). */
export const DOCUMENTED_OUTPUTS: Record<string, DocumentedOutput> = {
	'CreateKeywordAutomation/create': { record: 'CreatedKeywordAutomation', added: RECEIPT },
	'GetRevenue/getManualRecords': { record: 'ManualRecord' },
	'GetRevenue/getSummary': { record: 'RevenueSummary' },
	'GetRevenue/getTransactions': { record: 'Transaction' },
	ManualRecordTrigger: { record: 'ManualRecord' },
	'TagLead/addTag': {
		record: 'TagAssignmentResult',
		added: { ...RECEIPT, leadId: { type: 'string' }, tagId: { type: 'integer' } },
	},
	TransactionTrigger: { record: 'Transaction' },
};

/**
 * Returns where n8n's editor looks for an output's fields, below `nodes/`: beside the node, by its version and operation
 * (measured on 2.41.1 and 1.123.81). Version 1 of a node has `v1.0.0`; a new version needs its own files. n8n's workflow
 * builder (2.x) also reads `builderHint` of the description.
 */
export function schemaFile(output: string): string {
	const [node, operation] = output.split('/');
	return `${node}/__schema__/v1.0.0${operation === undefined ? '' : `/${operation}`}.json`;
}
