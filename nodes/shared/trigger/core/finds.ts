import type { Rules, Verdict } from './decide';
import { decide, isEmitted } from './decide';
import { must } from './failures';
import type { Log } from './log';
import type { RecordEvent } from './memory/emitted';
import type { Fingerprint, RevenueRecord } from './memory/fingerprint';
import type { Memory } from './memory/memory';

export interface EmittedRecord {
	record: RevenueRecord;
	event: RecordEvent;
	/** The fields of an updated record that have changed since it was emitted or learned, if they are known. */
	changedFields?: string[];
}

/** 5. Carries out the decision on each record, and collects the records that the poll emits. */
export class Finds {
	readonly emitted: EmittedRecord[] = [];
	/** How many records were learned as unconfirmed. */
	learned = 0;

	constructor(
		private readonly memory: Memory,
		private readonly rules: Rules,
		private readonly log: Log,
		private readonly maxRecords = Infinity,
	) {}

	/** Takes the records of a page; false if this poll can take no more. @param latest see RecordPage. */
	readonly visit = (page: readonly Fingerprint[], latest: number): boolean => {
		this.memory.noteTime(latest);
		for (const [index, fingerprint] of page.entries()) {
			if (this.take(fingerprint)) continue;
			this.memory.keepLongest(page);
			const more = page.length - index - 1;
			if (more > 0) this.log.debug(`more records on its page that are left to the next poll, too: ${more}`);
			return false;
		}
		return true;
	};

	private take(fingerprint: Fingerprint): boolean {
		const decision = decide(this.memory, fingerprint, this.rules);
		const { verdict, because } = decision;
		const isLeft = this.emitted.length >= this.maxRecords && isEmitted(verdict);
		if (!isLeft) this.carryOut(verdict, fingerprint);
		const logged = isLeft ? { verdict, because: `${because}; left to the next poll` } : decision;
		this.log.decision(fingerprint.record, logged);
		return !isLeft;
	}

	private carryOut(verdict: Verdict, fingerprint: Fingerprint): void {
		switch (verdict) {
			case 'new':
			case 'updated':
				return this.emit(fingerprint, verdict);
			case 'known':
				return this.memory.noteContent(fingerprint);
			case 'old':
				return this.memory.learn(fingerprint, 'known');
			case 'unconfirmed':
				this.learned++;
				return this.memory.learn(fingerprint, verdict);
			case 'waiting':
				return this.memory.learn(fingerprint, verdict);
			case 'ignored':
		}
	}

	private emit(fingerprint: Fingerprint, event: RecordEvent): void {
		must(this.rules.reader === 'sweep', 'only a sweep emits');
		const changedFields = event === 'updated' ? this.memory.changedFields(fingerprint) : undefined;
		this.memory.remember(fingerprint, event, this.rules.firstHorizon);
		this.emitted.push({ record: fingerprint.record, event, ...(changedFields && { changedFields }) });
	}
}
