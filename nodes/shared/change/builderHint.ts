/** What n8n's workflow builder reads about a node that writes (docs/idempotency.md). */
export const WRITE_BUILDER_HINT = {
	searchHint:
		'Safe to retry: Retry On Fail, and n8n\'s Retry of a failed execution, make each change once. Add no node that checks first. Only where one event may start several executions, such as a webhook that is delivered twice, or where an agent may repeat a call, set "Idempotency Key" in Options to an ID from the event.',
};
