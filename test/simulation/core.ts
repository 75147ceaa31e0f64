import path from 'node:path';
import type { checkpointAfter, redeliveryOf } from '../../nodes/shared/trigger/core/delivery.ts';
import type { NoPage, Stalled } from '../../nodes/shared/trigger/core/failures.ts';
import type { pollOnce } from '../../nodes/shared/trigger/core/pollOnce.ts';
import type { readCheckpoint, writeCheckpoint } from '../../nodes/shared/trigger/core/saved/savedForm.ts';
import type { timesOf } from '../../nodes/shared/trigger/core/serviceTime.ts';
import type { Executions } from '../../nodes/shared/trigger/host/store/executions.ts';
import type { Breakage } from './moduleLoader.ts';
import { loaderOf } from './moduleLoader.ts';

/** The part of the trigger that runs in the simulation: everything between the request and n8n, and what it notes of n8n's executions. */
export interface Core {
	pollOnce: typeof pollOnce;
	redeliveryOf: typeof redeliveryOf;
	checkpointAfter: typeof checkpointAfter;
	readCheckpoint: typeof readCheckpoint;
	writeCheckpoint: typeof writeCheckpoint;
	timesOf: typeof timesOf;
	Executions: typeof Executions;
	NoPage: typeof NoPage;
	Stalled: typeof Stalled;
}

const inCore = (file: string) => path.posix.join('shared/trigger/core', file);

const ENTRIES = [
	'pollOnce.ts',
	'delivery.ts',
	'serviceTime.ts',
	'saved/savedForm.ts',
	'failures.ts',
	'../host/store/executions.ts',
];

/** Returns the trigger's core, with one line broken on purpose if wanted; its file is relative to the core's folder. */
export function loadCore(breakage?: Breakage): Core {
	const load = loaderOf(breakage && { ...breakage, file: inCore(breakage.file) });
	return load(ENTRIES.map(inCore)) as Core;
}
