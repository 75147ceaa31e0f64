import type { pollOnce } from '../../nodes/shared/trigger/core/pollOnce';
import type { serviceTime } from '../../nodes/shared/trigger/core/serviceTime';
import type { readState, writeState } from '../../nodes/shared/trigger/core/saved/savedForm';
import type { remaining } from '../../nodes/shared/trigger/core/redeliver';
import type { NoPage, Stalled } from '../../nodes/shared/trigger/core/failures';
import type { Breakage } from './moduleLoader';
import { loaderOf } from './moduleLoader';

/** The part of the trigger that runs in the simulation: everything between the request and n8n. */
export interface Core {
	pollOnce: typeof pollOnce;
	readState: typeof readState;
	writeState: typeof writeState;
	serviceTime: typeof serviceTime;
	remaining: typeof remaining;
	NoPage: typeof NoPage;
	Stalled: typeof Stalled;
}

const FOLDER = 'shared/trigger/core';
const ENTRIES = ['pollOnce', 'serviceTime', 'saved/savedForm', 'redeliver', 'failures'].map(
	(name) => `${FOLDER}/${name}.ts`,
);

/** The trigger's core, with one line broken on purpose if wanted: its file is below the core's folder. */
export function loadCore(breakage?: Breakage): Core {
	const load = loaderOf(breakage && { ...breakage, file: `${FOLDER}/${breakage.file}` });
	return load(ENTRIES) as Core;
}
