import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { digestOfValues } from '../digest';
import type { Call } from '../service/call';
import type { SentWrite } from './earlierWrites';
import { EarlierWrites } from './earlierWrites';
import { formerWrites } from './former';
import type { Identity } from './identity';
import { identifierOf } from './identity';
import type { Run } from './lineage';
import { runOf } from './lineage';
import { isUuid4, uuid4From } from './uuid4';
import type { WriteOperation } from './writeOperation';

/** A write with its key. */
export interface KeyedWrite<Content extends IDataObject> {
	/** A UUID4. */
	key: string;
	/** The content of the first attempt: a key never comes with two contents, as far as this node can know. */
	content: Content;
	/** Perhaps with other content. `others` are items, nodes and executions with the same key of the user. */
	mayHaveBeenSentBy: Call['mayHaveBeenSentBy'];
	/** Records that the service rejected the write, so that a retry may send other content with the key. */
	markRejected(): void;
}

/**
 * Gives every intended write of one run of a node its idempotency key: the same key whenever n8n runs the item again, and
 * another key for a second write of the same identity.
 *
 * The key is made from what identifies the change, never from what its expressions compute (see identifierOf). What was sent
 * stays in the execution's data until the run has succeeded, so a retry sends the first content again. Only after a crash,
 * which leaves nothing, may a computed value come with the key of another one: the service then decides, and at worst
 * rejects it. An edited workflow is another change, unless its content is the same.
 */
export class Keys<Content extends IDataObject> {
	private readonly run: Run;
	private readonly identify: ReturnType<typeof identifierOf>;
	private readonly earlier: EarlierWrites;
	private readonly used: Set<string>;
	/** Whether a change whose key is not known yet may have been made: `null` where something else may have sent it. */
	readonly mayHaveBeenMade: false | null;
	/** Whether changes that an execution made before it crashed have other keys in this retry of it. */
	readonly mayRepeat: boolean;

	constructor(
		private readonly functions: IExecuteFunctions,
		private readonly operation: Pick<WriteOperation<Content>, 'purpose' | 'sources'>,
	) {
		const { parameters } = functions.getNode();
		const { options } = parameters;
		const ownKey =
			typeof options === 'object' && options !== null ? ((options as IDataObject).idempotencyKey ?? '') : options;
		const sources = [...Object.keys(operation.sources).map((name) => parameters[name]), ownKey];
		this.run = runOf(functions);
		const { sent } = this.run;
		this.identify = identifierOf(functions, sources);
		this.earlier = new EarlierWrites(sent, formerWrites(sent, functions.getInputData(), sources));
		this.used = new Set(sent.map(({ key }) => key));
		const isRetry = sent.length > 0 || functions.getMode() === 'retry';
		this.mayHaveBeenMade = isRetry || ownKey !== '' ? null : false;
		this.mayRepeat = this.run.isUnlinked && ownKey === '';
	}

	/**
	 * The write of an input item, whose parameters now give `content`.
	 * @param ownKey the option Idempotency Key; empty for none.
	 * @param target names the organization, where the credential has expressions: identical content is then no identical write.
	 */
	for(itemIndex: number, content: Content, ownKey: string, target?: string): KeyedWrite<Content> {
		const values = [...Object.values(this.operation.sources).map((field) => content[field]), ownKey];
		const identity = this.identify(itemIndex, content, values);
		const own = this.keyFromText(ownKey);
		const named = digestOfValues(identity.parts, identity.isComputed ? undefined : own, target);
		const write = { item: itemIndex, identity: named, content, ...(target !== undefined && { target }) };
		const known = this.earlier.take(write, own);
		const sent = known ?? this.newWrite({ ...write, key: own ?? this.nextKey(identity, target) });
		const isOpen = known !== undefined && known.rejected !== true;
		if (!isOpen) sent.content = content;
		delete sent.rejected;
		// A crash may have lost an attempt in between, even where an earlier one is known.
		const wasAttempted = isOpen || this.functions.getMode() === 'retry';
		const others = own === undefined ? undefined : 'others';
		return {
			key: sent.key,
			content: sent.content as Content,
			mayHaveBeenSentBy: wasAttempted ? 'an earlier attempt' : others,
			markRejected: () => {
				if (!isOpen) sent.rejected = true;
			},
		};
	}

	/** Forgets what was sent: n8n does not retry a run that has succeeded. */
	forget(): void {
		this.run.sent.length = 0;
	}

	private newWrite(sent: SentWrite): SentWrite {
		this.run.sent.push(sent);
		this.used.add(sent.key);
		return sent;
	}

	private nextKey({ parts, isComputed }: Identity, target: string | undefined): string {
		const { name, alike } = this.run;
		const named = [
			...(isComputed ? ['computed', digestOfValues(...parts)] : parts.map((part) => JSON.stringify(part))),
			...(target === undefined ? [] : [target]),
		];
		const digest = digestOfValues(named);
		for (;;) {
			const occurrence = alike[digest] ?? 0;
			alike[digest] = occurrence + 1;
			// 'change' is part of all existing keys: another word would make other keys.
			const key = uuid4From(['change', ...name, this.operation.purpose, ...named, String(occurrence)]);
			if (!this.used.has(key)) return key;
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
