import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { digestOfValues } from '../digest';
import type { Change } from '../service/change';
import { EarlierWrites } from './earlierWrites';
import { identifierOf } from './identity';
import { writtenKeyOf } from './options';
import type { Run } from './run';
import { runOf } from './run';
import { isUuid4, uuid4From } from './uuid4';

/**
 * Makes the idempotency keys of one run of a node. A write has the same key whenever n8n runs its item again, and a second
 * write of the same identity has another.
 *
 * A key is made from what identifies the change, never from what expressions compute (see identifierOf). The writes stay in
 * the execution's data until the run has succeeded, so a retry sends the first content again. One case remains: a crash leaves
 * no writes, so a recomputed value (such as `$now`) is sent with the old key. The service then replays or rejects the change.
 * An edit of the workflow makes it another change, unless the content is the same.
 */
export class Keys<Content extends IDataObject> {
	private readonly run: Run;
	private readonly identify: ReturnType<typeof identifierOf>;
	private readonly earlier: EarlierWrites;
	/** Whether a change whose key is not made yet may have been made; `null` where this node cannot know. */
	readonly mayHaveBeenMade: false | null;

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
		this.mayHaveBeenMade = sent.length > 0 || mayHaveLostAttempt || writtenKey !== '' ? null : false;
	}

	/**
	 * Returns the change and the content of an input item's write: the write of an earlier attempt, or else a new one. The content
	 * is the first that was sent, unless no earlier attempt may have made the change.
	 * @param content what the parameters say now.
	 * @param keyText the option Idempotency Key; empty for none. Other items, nodes and executions may have the same.
	 * @param target names the organization, where the credential has expressions: the same content for another one is another write.
	 */
	writeFor(itemIndex: number, content: Content, keyText: string, target?: string) {
		const userKey = this.keyFromText(keyText);
		const keyParts = [...this.identify(itemIndex, content, userKey ?? ''), ...(target === undefined ? [] : [target])];
		const intended = { item: itemIndex, identity: digestOfValues(keyParts), content, target };
		const earlier = this.earlier.take(intended, userKey);
		const write = earlier ?? { ...intended, key: userKey ?? this.nextKey(keyParts, intended.identity) };
		if (earlier === undefined) this.run.sent.push(write);
		const wasLeftOpen = earlier !== undefined && earlier.rejected !== true;
		// As far as this node can know, a key never has two contents, unless the first was rejected.
		if (!wasLeftOpen) write.content = content;
		delete write.rejected;
		const change: Change = { key: write.key, madeBefore: this.madeBefore(wasLeftOpen, userKey), isOpen: false };
		return {
			change,
			content: write.content as Content,
			/** Call it when the write has failed: a retry may then send other content with the key of a change that was not made. */
			noteFailure: () => {
				if (!wasLeftOpen && !change.isOpen) write.rejected = true;
			},
		};
	}

	/** Forgets what was sent: n8n does not retry a run that has succeeded. */
	forget(): void {
		this.run.sent.length = 0;
	}

	/** Whether the change may have been made before this attempt; `null` where something else may have sent its key. */
	private madeBefore(wasLeftOpen: boolean, userKey: string | undefined): boolean | null {
		if (wasLeftOpen || this.run.mayHaveLostAttempt) return true;
		return userKey === undefined ? false : null;
	}

	/** Makes the next key of an identity that no earlier attempt has sent. */
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
	 * Makes the key that the user set: a UUID4 is sent in lower case, and any other text becomes the same UUID4 each time. The
	 * operation is a part of it: the service may reject one key for two operations, and one record often drives several nodes.
	 */
	private keyFromText(text: string): string | undefined {
		if (text === '') return undefined;
		return isUuid4(text) ? text.toLowerCase() : uuid4From(['text', this.operation.purpose, text]);
	}
}
