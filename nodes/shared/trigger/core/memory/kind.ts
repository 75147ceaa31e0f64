/** What the core has to know of the records of a list. */
export interface RecordKind {
	/** Their name in messages, such as "transactions". */
	plural: string;
	/** The documented fields of a record except its id. The saved details depend on their order. */
	fields: readonly string[];
	/**
	 * The field that says when a record occurred: by it the memory forgets, and a start date tells what is old. Without one,
	 * the memory forgets what it learned first, and what the service returns for the start date is not old.
	 */
	occurredAt?: string;
}
