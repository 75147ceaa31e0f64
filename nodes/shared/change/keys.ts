import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { digestOfValues } from '../digest';
import type { Change } from '../service/change';
import type { SentWrite } from './earlierWrites';
import { EarlierWrites, inputDigestOf } from './earlierWrites';
import { identifierOf } from './identity';
import { writtenKeyOf } from './options';
import type { Run } from './run';
import { runOf } from './run';
import { isUuid4, uuid4From } from './uuid4';

/**
 * The idempotency keys of one run of a node. A write has the same key whenever n8n runs its item again. Unless the user sets the
 * key, it depends on the parts that identify the change, never on a computed value (see identifierOf).
 *
 * The writes stay in the execution's data until the run has succeeded, so a retry sends the first content again. A crash leaves
 * no writes: a retry then sends a recomputed value (such as `$now`) with the old key, and the service replays or rejects the
 * change.
 */
export class Keys<Content extends IDataObject> {
	private readonly run: Run;
	private readonly identify: ReturnType<typeof identifierOf>;
	private readonly earlier: EarlierWrites;
	private readonly digestOfItem: (itemIndex: number) => string;
	/** Whether the change of an item that no known attempt has sent may have been made; `null` if this node cannot know. */
	private readonly mayHaveBeenMade: false | null;

	constructor(
		functions: IExecuteFunctions,
		private readonly operation: { purpose: string; fieldOf: Readonly<Record<string, string>> },
	) {
		const { parameters } = functions.getNode();
		const writtenKey = writtenKeyOf(functions);
		const written = [...Object.keys(operation.fieldOf).map((name) => parameters[name]), writtenKey];
		this.run = runOf(functions, written);
		const { sent, mayHaveLostAttempt } = this.run;
		this.identify = identifierOf(functions, written, Object.values(operation.fieldOf));
		this.earlier = new EarlierWrites(sent);
		const items = functions.getInputData();
		this.digestOfItem = (itemIndex) => inputDigestOf(items[itemIndex]?.json ?? {}, written);
		this.mayHaveBeenMade = mayHaveLostAttempt || writtenKey !== '' ? null : false;
	}

	/**
	 * Returns the change and content of an input item's write. An earlier attempt's takes precedence, with its first content if it
	 * may have made the change.
	 * @param keyText the option Idempotency Key; empty for none. Other items, nodes and executions may have the same text.
	 * @param target identifies the organization if the credential has expressions. Each has its own writes, except that a retried
	 * item keeps its own.
	 */
	writeFor(itemIndex: number, content: Content, keyText: string, target?: string) {
		const userKey = this.keyFromText(keyText);
		const keyParts = [...this.identify(itemIndex, content, userKey ?? ''), ...(target === undefined ? [] : [target])];
		const identity = digestOfValues(keyParts);
		const intended = { item: itemIndex, identity, inputDigest: this.digestOfItem(itemIndex), content, target };
		const earlier = this.earlier.take(intended, userKey);
		const before = earlier === undefined ? 'not made' : earlier.fate;
		const write: SentWrite = earlier ?? { ...intended, key: userKey ?? this.nextKey(keyParts, identity), fate: 'open' };
		if (earlier === undefined) this.run.sent.push(write);
		const wasLeftOpen = before !== 'not made';
		// Only a write that is known not to have made its change gets other content, so that no key has two contents.
		if (!wasLeftOpen) write.content = content;
		if (before !== 'made') write.fate = 'open';
		// Something else may have sent a key of the user's.
		const wasOpen = wasLeftOpen || this.run.mayHaveLostAttempt || (userKey === undefined ? false : null);
		const mayBeOfAnother = before === 'not made' || before === 'in conflict';
		const change: Change = { key: write.key, wasOpen, isOpen: false };
		return {
			change,
			content: write.content as Content,
			/** Call this after the service has made the change, not if it had made it before. */
			noteMade: () => {
				write.fate = 'made';
			},
			/** Call this after the write has failed. If the change was not made, a retry may send other content with its key. */
			noteFailure: () => {
				if (!wasLeftOpen && !change.isOpen) write.fate = 'not made';
				else if (userKey !== undefined && mayBeOfAnother && change.isLost !== true) write.fate = 'in conflict';
			},
		};
	}

	/** Returns what is known of the change of an item whose parameters and credential are not read yet. */
	knownOf(itemIndex: number): { idempotencyKey: string | null; mayHaveBeenMade: boolean | null } {
		const digest = () => this.digestOfItem(itemIndex);
		const key = this.earlier.openKeyOf(itemIndex, digest, this.run.mayHaveLostAttempt);
		if (key !== undefined) return { idempotencyKey: key, mayHaveBeenMade: true };
		return { idempotencyKey: null, mayHaveBeenMade: this.earlier.isAwaited(itemIndex) ? null : this.mayHaveBeenMade };
	}

	/** Whether a change may have been made, in this attempt or an earlier one. */
	get mayHaveMadeOne(): boolean {
		return this.run.sent.some(({ fate }) => fate !== 'not made');
	}

	/** Forgets the writes: n8n does not retry a run that has succeeded. */
	forget(): void {
		this.run.sent.length = 0;
	}

	/** Returns the next key of an identity, and skips the keys that earlier attempts sent. */
	private nextKey(keyParts: readonly string[], identity: string): string {
		const { name, alike } = this.run;
		for (;;) {
			const occurrence = alike[identity] ?? 0;
			alike[identity] = occurrence + 1;
			// 'change' is part of all existing keys: another word would make other keys.
			const key = uuid4From(['change', ...name, this.operation.purpose, ...keyParts, String(occurrence)]);
			if (!this.earlier.keys.has(key)) return key;
		}
	}

	/**
	 * Returns the key for the user's text: a UUID4 in lower case, or else a UUID4 of text and operation. One record often drives
	 * several nodes, and the service may reject one key for two operations.
	 */
	private keyFromText(text: string): string | undefined {
		if (text === '') return undefined;
		return isUuid4(text) ? text.toLowerCase() : uuid4From(['text', this.operation.purpose, text]);
	}
}
