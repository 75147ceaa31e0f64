import type { WriteNode } from './n8n.ts';
import type { WriteRequest } from './service.ts';

/** One attempt at a run of a node of ours: one call of its `execute`. */
export interface Attempt {
	id: number;
	/** What is intended once: a run of a node in an execution and its retries. Another run is another intention. */
	scope: string;
	/** Two items are two changes within a unit: an attempt, or all tool calls of an execution. */
	unit: string;
	/** The tool call that it is a try of: one item in all tries. */
	call?: object;
	/** The earlier attempts at this scope whose data n8n kept for this one. */
	inherits: number[];
	/** The same for attempts whose key n8n gives the same lineage. */
	lineage: string;
	executionId: string | undefined;
	node: WriteNode;
	/** How many input items it has. */
	size: number;
	/** The items that it has come to, by their index. */
	items: ItemAttempt[];
	/** Undefined while it runs, and for ever when its process died. */
	ended?: 'success' | 'failed';
}

type Begun = Pick<Attempt, 'scope' | 'lineage' | 'executionId' | 'node' | 'size'> &
	Partial<Pick<Attempt, 'unit' | 'inherits'>>;

/** Adds an attempt, which is a unit of its own and inherits nothing unless that is given. */
export function begin(attempts: Attempt[], begun: Begun): Attempt {
	const id = attempts.length;
	const attempt = { id, unit: `attempt ${id}`, inherits: [], items: [], ...begun };
	attempts.push(attempt);
	return attempt;
}

/** What the node said of an item that failed. */
interface Statement {
	key: string | null;
	mayHaveBeenMade: boolean | null;
	at: number;
}

export interface ItemAttempt {
	attempt: Attempt;
	index: number;
	/** What identifies the change, as docs/idempotency.md says: items with the same are the same change, or interchangeable. */
	identity: string;
	/** Whether the identity has an expression that computes something. */
	isComputed: boolean;
	/** The user's own key, where the option is set; `undefined` when it cannot be used. */
	ownKey: string | undefined;
	hasOwnKey: boolean;
	/** Path and body as the workflow means them; `undefined` where an expression computes something. */
	meant: string | undefined;
	/** Path and body as the parameters say now; `undefined` when they cannot be used. */
	intended: string | undefined;
	organization: string;
	requests: Array<WriteRequest<ItemAttempt>>;
	made?: { key: string; id: unknown; replayed: boolean; shown: string | undefined };
	failed?: Statement;
}
