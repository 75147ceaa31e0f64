import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { digestOfValues } from '../digest';
import { isOpenIn } from '../service/errors/serviceErrors';
import type { EarlierWrites, SentWrite } from './earlierWrites';
import { earlierWritesOf } from './former';
import type { Identity } from './identity';
import { identifierOf } from './identity';
import type { Run } from './lineage';
import { runOf } from './lineage';
import { isUuid4, uuid4From } from './uuid4';

/**
 * Returns the idempotency key of every intended write of one run of a node: the same key whenever n8n runs the item again, and
 * another key for a second write of the same identity.
 *
 * The key is made from what identifies the change, never from what its expressions compute (see identifierOf). What was sent
 * stays in the execution's data until the run has succeeded, so a retry sends the first content again. Only after a crash,
 * which leaves nothing, may a computed value come with the key of another value: the service then decides, and at worst
 * rejects the write. An edited workflow is another change, unless its content is the same.
 */
export class Keys<Content extends IDataObject> {
	private readonly run: Run;
	private readonly identify: ReturnType<typeof identifierOf>;
	private readonly earlier: EarlierWrites;
	/** Whether a change whose key is not known yet may have been made: `null` where nobody here can know. */
	readonly mayHaveBeenMade: false | null;
	/** Whether this attempt may repeat changes that an execution made before it crashed, with other keys. */
	readonly mayRepeat: boolean;

	constructor(
		private readonly functions: IExecuteFunctions,
		private readonly operation: { purpose: string; sources: Readonly<Record<string, string>> },
	) {
		const { parameters } = functions.getNode();
		const { options } = parameters;
		const userKey =
			typeof options === 'object' && options !== null ? ((options as IDataObject).idempotencyKey ?? '') : options;
		const sources = [...Object.keys(operation.sources).map((name) => parameters[name]), userKey];
		this.run = runOf(functions);
		const { sent } = this.run;
		this.identify = identifierOf(functions, sources);
		this.earlier = earlierWritesOf(sent, functions.getInputData(), sources);
		const isRetry = sent.length > 0 || functions.getMode() === 'retry';
		this.mayHaveBeenMade = isRetry || userKey !== '' ? null : false;
		this.mayRepeat = this.run.mayRepeat && userKey === '';
	}

	/**
	 * The key and the content of an input item's write, whether its change may have been made before, perhaps with other
	 * content (`null` where something else may have sent the key), and what to call when it fails. The content is that of the
	 * first attempt: a key never comes with two contents, as far as this node can know.
	 * @param content what the parameters say now.
	 * @param userKey the option Idempotency Key; empty for none. Other items, nodes and executions may have the same.
	 * @param target names the organization, where the credential has expressions: identical content is then no identical write.
	 */
	for(itemIndex: number, content: Content, userKey: string, target?: string) {
		const values = [...Object.values(this.operation.sources).map((field) => content[field]), userKey];
		const identity = this.identify(itemIndex, content, values);
		const userKeyId = this.keyFromText(userKey);
		// Each part by itself: a value that JSON cannot express must not make all changes look the same.
		const identityDigest = digestOfValues(...identity.parts, identity.isComputed ? undefined : userKeyId, target);
		const intended = { item: itemIndex, identity: identityDigest, content, target };
		const earlier = this.earlier.take(intended, userKeyId);
		const write: SentWrite = earlier ?? { ...intended, key: userKeyId ?? this.nextKey(identity, target) };
		if (earlier === undefined) this.run.sent.push(write);
		const isOpen = earlier !== undefined && earlier.rejected !== true;
		if (!isOpen) write.content = content;
		delete write.rejected;
		// A crash may have lost an attempt in between, even where an earlier one is known.
		const wasAttempted = isOpen || this.functions.getMode() === 'retry';
		const mayHaveBeenMade = wasAttempted || (userKeyId === undefined ? false : null);
		// A retry of what the service rejected may send other content with its key, unless an earlier attempt may have made it.
		const noteFailure = (error: unknown) => {
			if (!isOpen && !isOpenIn(error)) write.rejected = true;
		};
		return { key: write.key, content: write.content as Content, mayHaveBeenMade, noteFailure };
	}

	/** Forgets what was sent: n8n does not retry a run that has succeeded. */
	forget(): void {
		this.run.sent.length = 0;
	}

	private nextKey({ parts, isComputed }: Identity, target: string | undefined): string {
		const { name, alike } = this.run;
		const keyParts = [
			...(isComputed ? ['computed', digestOfValues(...parts)] : parts.map((part) => JSON.stringify(part))),
			...(target === undefined ? [] : [target]),
		];
		const digest = digestOfValues(keyParts);
		for (;;) {
			const occurrence = alike[digest] ?? 0;
			alike[digest] = occurrence + 1;
			// 'change' is part of all existing keys: another word would make other keys.
			const key = uuid4From(['change', ...name, this.operation.purpose, ...keyParts, String(occurrence)]);
			if (!this.earlier.keys.has(key)) return key;
		}
	}

	/**
	 * The key that the user set: a UUID4 is sent in lower case, and any other text becomes the same UUID4 each time. The operation
	 * is part of it, because the service may reject one key for two operations, and one record often drives several nodes.
	 */
	private keyFromText(text: string): string | undefined {
		if (text === '') return undefined;
		return isUuid4(text) ? text.toLowerCase() : uuid4From(['text', this.operation.purpose, text]);
	}
}
