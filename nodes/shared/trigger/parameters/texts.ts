import type { Source } from '../source';

type Kind = Pick<Source, 'kind' | 'singular'>;

/** What n8n tells an AI that builds a workflow. */
export const searchHintOf = ({ singular, kind: { plural } }: Kind) =>
	`Needs no deduplication behind it: no Remove Duplicates, no store of seen IDs, no filter on dates. It emits each ${singular} once, or once per change. Only after a restart of n8n may it emit the ${plural} of the last execution again; where that does harm, upsert by id, or set an Idempotency Key made from the id.`;

/** What the editor says before the first test event. */
export const executionsHelpOf = ({ kind: { plural } }: Kind) =>
	`<b>While building your workflow</b>, fetch a test event: up to five real ${plural} that pass the filters, from any time. It changes nothing.<br><br><b>Once you're happy</b>, publish. The first poll notes what is there and starts nothing, unless Start From is a date; after that, each poll starts the workflow with what is new. See Executions.`;
