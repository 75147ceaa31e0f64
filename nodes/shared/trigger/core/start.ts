import { finishStart } from './cycle';
import { stoppedWarning, tellStartOver } from './failures';
import { Finds } from './finds';
import type { Memory } from './memory/memory';
import type { Ports } from './ports';
import type { Between, Starting } from './state';
import { newWalk, READINGS } from './state';
import { walk } from './walk';

/**
 * Learns the records that changed after `since`, by walks that emit nothing. With Start From: Now, "now" is the end of this poll.
 *
 * Only this poll may take a record as old. If it cannot finish, later polls emit the rest of the overlap: a few old records may
 * arrive then, but none created after the activation is lost.
 */
export async function learnOverlap(state: Starting, since: number, memory: Memory, ports: Ports): Promise<Between> {
	const { visit } = new Finds(memory, { reader: 'start' }, ports.log);
	let watermark: number | null = null;
	for (let complete = 0; complete < READINGS; complete++) {
		const walked = await walk(newWalk(since), visit, ports);
		tellStartOver(walked, ports.log);
		if (walked.left !== null) {
			// This failure is not thrown: the service has just responded, so the credential is right.
			if (walked.why === 'a failure') ports.log.warn(stoppedWarning(walked.failure));
			else {
				ports.log.debug(`the poll ends before it has read what is old, because ${walked.why}: some of it may arrive`);
			}
			break;
		}
		watermark ??= walked.end.startedAt;
		if (walked.end.hadOnePage || !ports.hasTime()) break;
	}
	return finishStart(state, since, watermark);
}
