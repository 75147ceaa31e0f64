import type { Fingerprint } from './fingerprint';
import { CONTENT_LENGTH, ID_LENGTH } from './fingerprint';
import type { MemoryText } from './memoryText';
import { entriesIn, entryLength, horizonIn, MEMORY_CHARACTERS, readMemory, writeMemory } from './memoryText';

/** How a transaction compares with the memory: unknown, known with other content, or known with this content. */
export type Comparison = 'new' | 'updated' | 'known';

/** What one poll added to the end of the memory: the count of new transactions, then the count of changed ones. */
export interface Additions {
	added: number;
	changed: number;
}

/** A memory in its saved form. */
export interface Written extends Additions {
	text: string;
	/** Whether it forgot entries that its horizon does not cover: they count as new when the service returns them again. */
	forgot: boolean;
}

const DAY_MS = 86_400_000;

// Equals the fingerprint of a real content with a probability of 1.5e-11, like any other text.
const UNKNOWN_CONTENT = '-'.repeat(CONTENT_LENGTH);

// Marks before the day in the label of an entry.
const DOUBTFUL = '~';
const WAITING = '!';
const RETURNED = '^';

/** How many transactions are remembered: 93,333 by their id alone, 56,000 with their content. */
export function capacityFor(keepsContent: boolean): number {
	return Math.floor(MEMORY_CHARACTERS / entryLength(keepsContent));
}

export function dayOf(moment: number): number {
	return Math.floor(moment / DAY_MS);
}

/**
 * A memory without its last additions. What was new is new again. What had changed counts as changed, with any content,
 * because its receiver may know either the old or the new one.
 */
export function withoutLast(text: string, keepsContent: boolean, { added, changed }: Additions): string {
	const { horizon, entries } = readMemory(text, keepsContent);
	const ids = [...entries.keys()];
	const endOfAdded = ids.length - changed;
	for (const id of ids.slice(endOfAdded - added, endOfAdded)) entries.delete(id);
	for (const id of ids.slice(endOfAdded))
		entries.set(id, UNKNOWN_CONTENT + labelIn(entries.get(id) as string, keepsContent));
	return writeMemory(horizon, entries, keepsContent);
}

function labelIn(entry: string, keepsContent: boolean): string {
	return entry.slice(keepsContent ? CONTENT_LENGTH : 0);
}

/** What the memory keeps of a transaction. */
export function entryOf({ id, content }: Fingerprint, keepsContent: boolean): string {
	return keepsContent ? id + content : id;
}

/**
 * A memory without the entries `added`, in which the entries `changed` count as changed, as above. A transaction that is
 * remembered with other content was emitted again since, and is left alone.
 */
export function without(
	text: string,
	keepsContent: boolean,
	added: ReadonlySet<string>,
	changed: ReadonlySet<string>,
): string {
	const { horizon, entries } = readMemory(text, keepsContent);
	for (const [id, entry] of entries) {
		const label = labelIn(entry, keepsContent);
		const remembered = id + entry.slice(0, entry.length - label.length);
		if (added.has(remembered)) entries.delete(id);
		else if (changed.has(remembered)) entries.set(id, UNKNOWN_CONTENT + label);
	}
	return writeMemory(horizon, entries, keepsContent);
}

/**
 * Remembers transactions: those that were emitted, and those that a census learned. Each takes the 9 characters of its
 * id's fingerprint and, where content matters, the 6 of its content's. Probability that a new transaction is taken for
 * one of 93,333 remembered, and so lost: 5e-12.
 *
 * Each entry has the day on which the transaction occurred. A full memory forgets the earliest days, and the horizon is
 * the day after the latest one forgotten: what is not remembered and occurred before it is old. What occurred today or
 * yesterday is forgotten without moving the horizon, which would otherwise pass transactions that are yet to come. What
 * was emitted last is forgotten last: the next poll may read its page again, and a restart may take it back.
 */
export class Memory {
	private parsed: MemoryText | undefined;
	private hasChanged = false;
	/** Ids of what was emitted since the memory was read, after those that n8n may not have stored yet. */
	private readonly added: Set<string>;
	private readonly changed: Set<string>;

	/** `today` is a day since the epoch, see `dayOf`. */
	constructor(
		private readonly text: string,
		private readonly keepsContent: boolean,
		private readonly today = 0,
		readonly capacity = capacityFor(keepsContent),
		pending: ReadonlyArray<{ added: string[]; changed: string[] }> = [],
	) {
		const idsOf = (entries: string[]) => entries.map((entry) => entry.slice(0, ID_LENGTH));
		this.added = new Set(pending.flatMap(({ added }) => idsOf(added)));
		this.changed = new Set(pending.flatMap(({ changed }) => idsOf(changed)).filter((id) => !this.added.has(id)));
	}

	get size(): number {
		return this.parsed?.entries.size ?? entriesIn(this.text, this.keepsContent);
	}

	/** The first day of which nothing is forgotten; 0 when nothing is. */
	get horizon(): number {
		return this.parsed?.horizon ?? horizonIn(this.text);
	}

	/**
	 * `horizon` may be that of the sweep's beginning: what is forgotten while a list is read must not make the rest of the list
	 * old. A later pass meets again what the first one emitted and the memory has forgotten since.
	 */
	compare(fingerprint: Fingerprint, horizon = this.horizon, isFirstPass = true): Comparison {
		const { entries } = this.read();
		const entry = entries.get(fingerprint.id);
		if (entry === undefined) {
			if (isBefore(fingerprint, horizon)) return this.keepsContent ? 'updated' : 'known';
			return isFirstPass || !isBefore(fingerprint, this.horizon) ? 'new' : 'known';
		}
		if (this.isOpen(fingerprint.id)) return 'new';
		return !this.keepsContent || entry.startsWith(fingerprint.content) ? 'known' : 'updated';
	}

	/** Whether nothing at all is known of a transaction. */
	isUnknown(fingerprint: Fingerprint): boolean {
		return !this.read().entries.has(fingerprint.id) && !isBefore(fingerprint, this.horizon);
	}

	/** Remembers what is emitted; `horizon` is that of its comparison. */
	remember(fingerprint: Fingerprint, horizon = this.horizon): void {
		const { id } = fingerprint;
		const isKnown = this.read().entries.has(id) && !this.isOpen(id);
		if (!this.added.has(id) && !this.changed.has(id)) (isKnown ? this.changed : this.added).add(id);
		this.put(fingerprint, '', horizon);
	}

	/** Remembers a transaction that is not emitted; `inDoubt` when it may have been created after the start. */
	learn(fingerprint: Fingerprint, { inDoubt }: { inDoubt: boolean }): void {
		this.put(fingerprint, inDoubt ? DOUBTFUL : '');
	}

	/** Whether something is in doubt or set aside. */
	get hasDoubts(): boolean {
		return this.hasChanged || /[~!]/.test(this.text);
	}

	/**
	 * Keeps a transaction that was or may have been created after the start from being learned, until it passes the filters.
	 * Without a census that could learn it, this applies only to one that is in doubt.
	 */
	setAside(fingerprint: Fingerprint, { isDoubtfulOnly }: { isDoubtfulOnly: boolean }): void {
		const { entries } = this.read();
		const isDoubtful = entries.has(fingerprint.id) && this.labelOf(fingerprint.id).startsWith(DOUBTFUL);
		if (isDoubtful || (!isDoubtfulOnly && this.isUnknown(fingerprint))) this.put(fingerprint, WAITING);
	}

	/** What was in doubt is known from now on. Without a census nothing needs to be set aside any more. */
	confirm({ forgetsAside }: { forgetsAside: boolean }): void {
		if (!this.hasDoubts) return;
		const { entries } = this.read();
		for (const [id, entry] of entries) {
			const label = this.labelIn(entry);
			if (label.startsWith(DOUBTFUL)) entries.set(id, entry.replace(DOUBTFUL, ''));
			else if (forgetsAside && label.startsWith(WAITING)) entries.delete(id);
			else continue;
			this.hasChanged = true;
		}
	}

	/** The saved form. What was added since it was read, or is still pending, is at its end. */
	write(): Written {
		// Without additions, a new text of up to a megabyte is not worth its cost.
		if (!this.hasChanged && this.added.size + this.changed.size === 0)
			return { text: this.text, added: 0, changed: 0, forgot: false };
		const forgot = this.forget();
		const { entries, horizon } = this.read();
		const [added, changed] = [this.added, this.changed].map((ids) =>
			this.byDay([...ids].filter((id) => entries.has(id))),
		);
		const last = [...(added as string[]), ...(changed as string[])];
		for (const id of last) this.moveToEnd(id);
		return {
			text: writeMemory(horizon, entries, this.keepsContent),
			added: (added as string[]).length,
			changed: (changed as string[]).length,
			forgot,
		};
	}

	/** Orders the entries by day and forgets the earliest. Returns whether the horizon does not cover them all. */
	private forget(): boolean {
		const parsed = this.read();
		const excess = Math.max(0, parsed.entries.size - this.capacity);
		const entries = this.inOrder(excess > 0);
		let forgot = false;
		const isLast = (id: string) => this.added.has(id) || this.changed.has(id);
		const ids = excess > 0 ? [...entries.keys()] : [];
		for (const id of [...ids.filter((id) => !isLast(id)), ...ids.filter(isLast)].slice(0, excess)) {
			const label = this.labelIn(entries.get(id) as string);
			const day = dayOfLabel(label);
			if (day >= this.today - 1 || label.startsWith(WAITING)) forgot = true;
			else if (!label.startsWith(RETURNED)) parsed.horizon = Math.max(parsed.horizon, day + 1);
			entries.delete(id);
		}
		parsed.entries = entries;
		return forgot;
	}

	private inOrder(isNeeded: boolean): Map<string, string> {
		const { entries } = this.read();
		const labels = new Set<string>();
		let runs = 0;
		let [label, isOrdered] = ['', true];
		for (const entry of entries.values()) {
			const next = this.labelIn(entry);
			if (next === label) continue;
			if (runs++ > 0 && dayOfLabel(next) < dayOfLabel(label)) isOrdered = false;
			label = next;
			labels.add(label);
		}
		if (!isNeeded && isOrdered && runs === labels.size) return entries;
		return new Map(this.byDay([...entries.keys()]).map((id) => [id, entries.get(id) as string]));
	}

	/** Ids in the order of their days, those of one label together: the saved form has each label once for them. */
	private byDay(ids: string[]): string[] {
		const byLabel = new Map<string, string[]>();
		for (const id of ids) {
			const label = this.labelOf(id);
			const alike = byLabel.get(label);
			if (alike === undefined) byLabel.set(label, [id]);
			else alike.push(id);
		}
		return [...byLabel].toSorted(([a], [b]) => dayOfLabel(a) - dayOfLabel(b)).flatMap(([, alike]) => alike);
	}

	private moveToEnd(id: string): void {
		const { entries } = this.read();
		const entry = entries.get(id) as string;
		// A Map keeps the order of insertion: only a new key goes to the end.
		entries.delete(id);
		entries.set(id, entry);
	}

	private put({ id, content, occurredAt }: Fingerprint, mark: string, horizon = this.horizon): void {
		const day = occurredAt === undefined ? undefined : Math.max(0, Math.min(dayOf(occurredAt), this.today));
		const { entries } = this.read();
		// Were it forgotten again at once, every poll would emit it while it is in the overlap.
		const isReturned = mark === '' && (day === undefined || day < horizon);
		const label = isReturned
			? `${RETURNED}${base36(this.today)}`
			: mark + base36(mark === WAITING ? this.today : (day ?? this.today));
		entries.delete(id);
		entries.set(id, (this.keepsContent ? content : '') + label);
		this.hasChanged = true;
	}

	private isOpen(id: string): boolean {
		return /^[~!]/.test(this.labelOf(id));
	}

	private labelOf(id: string): string {
		return this.labelIn(this.read().entries.get(id) as string);
	}

	private labelIn(entry: string): string {
		return labelIn(entry, this.keepsContent);
	}

	// Parsed at the first transaction: an idle poll has none.
	private read(): MemoryText {
		return (this.parsed ??= readMemory(this.text, this.keepsContent));
	}
}

function isBefore({ occurredAt }: Fingerprint, horizon: number): boolean {
	return occurredAt !== undefined && dayOf(occurredAt) < horizon;
}

const base36 = (day: number) => day.toString(36);

const dayOfLabel = (label: string) => parseInt(label.replace(/^[~!^]/, ''), 36);
