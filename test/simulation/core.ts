import path from 'node:path';
import type { moveBack } from '../../nodes/shared/trigger/core/cycle.ts';
import type { NoPage, Stalled } from '../../nodes/shared/trigger/core/failures.ts';
import type { pollOnce } from '../../nodes/shared/trigger/core/pollOnce.ts';
import type { readState, writeState } from '../../nodes/shared/trigger/core/saved/savedForm.ts';
import type { serviceTime } from '../../nodes/shared/trigger/core/serviceTime.ts';
import type { Breakage } from './moduleLoader.ts';
import { loaderOf } from './moduleLoader.ts';

/** The part of the trigger that runs in the simulation: everything between the request and n8n. */
export interface Core {
	pollOnce: typeof pollOnce;
	readState: typeof readState;
	writeState: typeof writeState;
	serviceTime: typeof serviceTime;
	moveBack: typeof moveBack;
	NoPage: typeof NoPage;
	Stalled: typeof Stalled;
}

const inCore = (file: string) => path.posix.join('shared/trigger/core', file);

const ENTRIES = ['pollOnce.ts', 'serviceTime.ts', 'saved/savedForm.ts', 'failures.ts', 'cycle.ts'];

/** Returns the trigger's core, with one line broken on purpose if wanted; its file is relative to the core's folder. */
export function loadCore(breakage?: Breakage): Core {
	const load = loaderOf(breakage && { ...breakage, file: inCore(breakage.file) });
	return load(ENTRIES.map(inCore)) as Core;
}
