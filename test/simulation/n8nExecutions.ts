import type { IPollFunctions } from 'n8n-workflow';
import type { AfterRestart, OwnEmission, Redelivery, Reports } from '../../nodes/shared/trigger/core/delivery.ts';
import type { EmittedKeys } from '../../nodes/shared/trigger/core/memory/emitted.ts';
import type { RecordKind, RevenueRecord } from '../../nodes/shared/trigger/core/memory/fingerprint.ts';
import type { Position } from '../../nodes/shared/trigger/core/state.ts';
import type { Executions } from '../../nodes/shared/trigger/host/store/executions.ts';
import { NO_LOG } from '../support/scripted/pages.ts';
import type { Core } from './core.ts';

/** The functions of n8n 2.36 and later, which says what it could not store. */
const FUNCTIONS = { __commitCursor: () => undefined };

/** An execution that the trigger started and n8n has said nothing of. */
export interface OpenExecution {
	emission: OwnEmission;
	records: RevenueRecord[];
	stored: boolean;
	/** After how many polls n8n says whether it stored it. */
	polls: number;
}

/** The executions that a trigger starts, and what n8n says of them. What a process knows of them is the trigger's own code. */
export class N8nExecutions {
	open: Array<OpenExecution & { say(): void }> = [];
	/** How many were started, by all processes. */
	count = 0;
	private known: Executions;
	private readonly recordsOf = new Map<EmittedKeys, RevenueRecord[]>();

	constructor(
		private readonly core: Core,
		private readonly kind: RecordKind,
		private readonly now: () => number,
	) {
		this.known = this.ofNewProcess();
	}

	/** Another process begins: n8n tells it nothing of what the one before started. */
	restart(): void {
		this.open = [];
		this.known = this.ofNewProcess();
	}

	/** One more poll begins: n8n says of each execution that is due what became of it. */
	sayWhatIsStored(): void {
		for (const one of this.open) one.polls--;
		const due = this.open.filter(({ polls }) => polls <= 0);
		this.open = this.open.filter(({ polls }) => polls > 0);
		for (const one of due) one.say();
	}

	outcomes(afterRestart: AfterRestart): Reports {
		return this.known.reports(FUNCTIONS as unknown as IPollFunctions, afterRestart);
	}

	settle(redelivery: Redelivery, from: Position): void {
		this.known.settle(redelivery, from);
	}

	/** Returns the ids of what some emissions have. */
	idsOf(emissions: readonly OwnEmission[]): Set<unknown> {
		return new Set(emissions.flatMap(({ keys }) => this.recordsOf.get(keys) ?? []).map(({ id }) => id));
	}

	handOver(execution: OpenExecution): void {
		const { emission, records, stored } = execution;
		this.count++;
		this.recordsOf.set(emission.keys, records);
		const __emit = (_items: unknown, _response: unknown, done: { resolve(): void; reject(reason: Error): void }) => {
			const say = () => (stored ? done.resolve() : done.reject(new Error('not stored')));
			this.open.push({ ...execution, say });
		};
		const functions = { ...FUNCTIONS, __emit } as unknown as IPollFunctions;
		void this.known.handOver(functions, [], emission, { kind: this.kind, log: NO_LOG });
	}

	private ofNewProcess(): Executions {
		return new this.core.Executions({ monotonic: this.now });
	}
}
