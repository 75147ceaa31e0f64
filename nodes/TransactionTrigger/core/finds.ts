import type { Fingerprint, Transaction } from './fingerprint';
import type { Memory } from './memory';
import type { Visit } from './sweep';

export interface FindSettings {
	/** A poll ends after this many transactions. */
	maxTransactions: number;
	/** Whether a transaction passes the user's filters. */
	matches(transaction: Transaction): boolean;
}

export interface Emitted {
	transaction: Transaction;
	change: 'new' | 'updated';
	/** The fields that an updated one has changed since it was last reported, where that is known. */
	changedFields?: string[];
}

/** Collects what a poll emits from its sweep, and remembers it. */
export class Finds {
	readonly emitted: Emitted[] = [];

	constructor(
		private readonly memory: Memory,
		private readonly settings: FindSettings,
		/** Whether a census is under way or still to come. */
		private readonly hasCensus: boolean,
	) {}

	readonly visit: Visit = (transaction, fingerprint, { horizon = 0, isAgain = false, occurredSince = -Infinity }) => {
		const { occurredAt = Infinity } = fingerprint;
		if (occurredAt < occurredSince) {
			if (this.memory.isUnknown(fingerprint)) this.memory.learn(fingerprint, { inDoubt: true });
			return true;
		}
		if (!this.settings.matches(transaction)) {
			this.setAside(fingerprint);
			return true;
		}
		const change = this.memory.compare(fingerprint, horizon, isAgain);
		if (change === 'known' || change === 'unwatched') {
			this.memory.follow(fingerprint);
			return true;
		}
		if (this.emitted.length >= this.settings.maxTransactions) return false;
		const changedFields = change === 'updated' ? this.memory.changedFields(fingerprint) : undefined;
		this.memory.remember(fingerprint, horizon);
		this.emitted.push({ transaction, change, ...(changedFields && { changedFields }) });
		return true;
	};

	/** What does not pass the filters yet may pass later, and is new then: the census must not learn it as old. */
	private setAside(fingerprint: Fingerprint): void {
		if (this.hasCensus || this.memory.hasDoubts) this.memory.setAside(fingerprint, { isDoubtfulOnly: !this.hasCensus });
	}
}
