import type { Decision, Rules, Verdict } from './decide';
import { decide } from './decide';
import type { Fingerprint, Transaction } from './memory/fingerprint';
import type { Memory } from './memory/memory';
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

/** Logs what was decided for a transaction. */
export type LogDecision = (transaction: Transaction, decision: Decision) => void;

/** Carries out what is decided for each transaction that is read, and collects what the poll emits. */
export class Finds {
	readonly emitted: Emitted[] = [];
	/** How many transactions were learned as unconfirmed. */
	learned = 0;

	constructor(
		private readonly memory: Memory,
		private readonly rules: Rules,
		private readonly logDecision: LogDecision,
		private readonly maxTransactions = Infinity,
	) {}

	readonly visit: Visit = (fingerprint, sweep) => {
		const decision = decide(this.memory.recall(fingerprint), fingerprint, sweep, this.rules);
		const { verdict } = decision;
		if (verdict === 'new' || verdict === 'updated') {
			if (this.emitted.length >= this.maxTransactions) return false;
			this.emit(fingerprint, verdict, sweep.horizon);
		} else this.learn(fingerprint, verdict);
		this.logDecision(fingerprint.transaction, decision);
		return true;
	};

	private emit(fingerprint: Fingerprint, change: 'new' | 'updated', horizon: number): void {
		const { transaction } = fingerprint;
		const changedFields = change === 'updated' ? this.memory.changedFields(fingerprint) : undefined;
		this.memory.remember(fingerprint, horizon);
		this.emitted.push({ transaction, change, ...(changedFields && { changedFields }) });
	}

	private learn(fingerprint: Fingerprint, verdict: Exclude<Verdict, 'new' | 'updated'>): void {
		if (verdict === 'known') this.memory.follow(fingerprint);
		if (verdict === 'old') this.memory.learn(fingerprint, 'known');
		if (verdict === 'not new') this.memory.learn(fingerprint, 'unconfirmed');
		if (verdict === 'waiting') this.memory.setAside(fingerprint);
		if (verdict === 'not new') this.learned++;
	}
}
