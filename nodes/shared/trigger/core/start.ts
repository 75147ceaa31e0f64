import { adjustStart, startFromDate, startFromNow } from './cycle';
import { Finds } from './finds';
import { stoppedWarning, tellStartOver } from './log';
import type { Memory } from './memory/memory';
import { begins, isOnlyLogged } from './occasion';
import { READINGS } from './period';
import type { PollSettings, Ports } from './ports';
import type { Between, Starting, State } from './state';
import { newWalk } from './state';
import { walk } from './walk';

/**
 * 3. Finishes the start of a trigger, once the service tells its time. With a start date the first sweep has begun with the
 * activation. With Start From: Now a poll that begins learns the overlap; a later one emits what changed since the overlap before
 * the activation.
 * @throws the failure to read the time, see Occasion.
 */
export async function finishStart(
	saved: State,
	{ overlapMs }: Pick<PollSettings, 'overlapMs'>,
	memory: Memory,
	ports: Ports,
): Promise<State> {
	if (saved.phase !== 'starting') return saved;
	const state = ports.activatedAt === undefined ? saved : adjustStart(saved, ports.activatedAt);
	const asOf = await fetchTime(ports);
	if (asOf === undefined) return state;
	// Since the activation both clocks have advanced equally.
	const activatedAt = state.activatedAt + (asOf - ports.now());
	if (state.startDate !== null) return startFromDate(state, Math.min(activatedAt, asOf));
	return begins(ports.occasion)
		? await learnOverlap(state, asOf - overlapMs, memory, ports)
		: startFromNow(state, activatedAt - overlapMs, null);
}

/** Returns the service's time; `undefined` after a failure that is only logged. */
async function fetchTime(ports: Ports): Promise<number | undefined> {
	return await ports.fetchTime().catch((failure: unknown) => {
		if (!isOnlyLogged(ports.occasion, failure)) throw failure;
		ports.log.warn(stoppedWarning(failure));
		return undefined;
	});
}

/**
 * Learns the records that changed after `since`: with Start From: Now, "now" is the end of this poll. If it cannot finish, later
 * polls emit the rest of the overlap: a few old records may arrive, and none created later is lost.
 */
export async function learnOverlap(state: Starting, since: number, memory: Memory, ports: Ports): Promise<Between> {
	const { visit } = new Finds(memory, { reader: 'start' }, ports.log);
	const { plural } = ports.kind;
	let watermark: number | null = null;
	const tellRest = (because: string) => {
		if (watermark === null) ports.log.warn(`Old ${plural} may arrive as new. Reason: ${because}`);
		else ports.log.debug(`the poll ends before it has read what is old, because ${because}: some of it may arrive`);
	};
	for (let walks = 1; walks <= READINGS; walks++) {
		const walked = await walk(newWalk(since), visit, ports);
		tellStartOver(walked, "the first poll's list", ports.log);
		if (walked.end !== 'complete') {
			// This failure is not thrown: the service has just responded, so the credential is right.
			if (walked.end === 'failed' && watermark !== null) ports.log.warn(stoppedWarning(walked.failure));
			else tellRest(walked.end === 'failed' ? walked.failure.message : walked.because);
			break;
		}
		watermark ??= walked.startedAt;
		if (walked.hadOnePage) break;
		// Each walk may have skipped a record.
		if (walks < READINGS && !ports.hasTime()) {
			tellRest('no time is left');
			break;
		}
	}
	return startFromNow(state, since, watermark);
}
