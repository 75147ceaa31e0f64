import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../../scripts/lib/until.ts';
import type { SavedWorkflow } from '../../../scripts/n8n/session.ts';
import type { TestOrganization } from '../service.ts';
import { control, organization } from '../service.ts';
import type { Watched } from '../watched.ts';
import { TRANSACTIONS } from '../watched.ts';
import type { N8nHost } from './n8nHost.ts';
import { pollingWorkflow, StoredWorkflow, TRIGGER } from './polling.ts';
import { changeNode } from './workflows.ts';

/** The longest wait for something that takes a few polls. */
export const A_FEW_POLLS_MS = 300_000;

/** A published workflow that polls. */
export interface Running {
	org: TestOrganization;
	workflow: SavedWorkflow;
	stored: StoredWorkflow;
	/** Returns the end of what n8n has printed. */
	log(): string;
	make(count: number): Promise<string[]>;
	/** Starts n8n again if it has ended, as a supervisor does. */
	keepAlive?(): Promise<void>;
}

interface RunOptions {
	/** How to read what n8n has stored. */
	storedIn?: (host: N8nHost, workflowId: string) => StoredWorkflow;
	/** By default the Transaction Trigger. */
	watched?: Watched;
}

/** Returns an active workflow on a fresh organization, after the trigger's first poll. */
export async function started(
	host: N8nHost,
	{ storedIn = (on, id) => new StoredWorkflow(on, id), watched = TRANSACTIONS }: RunOptions = {},
): Promise<Running> {
	const org = await organization(watched.of(50));
	const make = async (count: number) => await watched.make(org, count);
	await make(20);
	const credential = await host.session.createCredential(org.name, 'leadRevenueApi', org.credential);
	const workflow = await pollingWorkflow(host, credential, {}, watched.type);
	await host.session.publishWorkflow(workflow.id);
	const stored = storedIn(host, workflow.id);
	// n8n activates in the background under durable cursors.
	await stored.until('the first poll', (now) => now.state().watermark !== undefined, A_FEW_POLLS_MS);
	return { org, workflow, stored, log: () => host.logs.slice(-3_000), make };
}

/** Resolves once the service has another request, at most `withinMs` later. */
export async function nextPoll({ org, log, keepAlive }: Running, withinMs = 50): Promise<void> {
	const last = (await org.journal()).at(-1)?.seq ?? 0;
	const isPolled = async () => {
		await keepAlive?.();
		return (await control.journal(org.id, last)).length > 0;
	};
	await until('a poll', A_FEW_POLLS_MS, isPolled, withinMs).catch((error: Error) => {
		throw new Error(`${error.message}; n8n's log ends:\n${log()}`);
	});
}

/** Waits for so many polls more. */
export async function pollsAfter(running: Running, count: number): Promise<void> {
	for (let poll = 0; poll < count; poll++) await nextPoll(running);
	// n8n stores what they emitted.
	await wait(500);
}

/** Publishes a version in which the trigger has another parameter: n8n 2.41 leaves a trigger alone that has not changed. */
export async function publishAnew({ session }: N8nHost, { workflow }: Running): Promise<void> {
	await changeNode(session, workflow.id, TRIGGER, (node) => {
		return { ...node, parameters: { ...node.parameters, options: { timeout: 59 } } };
	});
	await session.publishWorkflow(workflow.id);
}

/** Ids that occur more than once. */
export function repeated(ids: string[]): string[] {
	return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}
