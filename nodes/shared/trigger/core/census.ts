import { endCensus, isStalled, pauseCensus, rereadCensus } from './cycle';
import { mayRecover } from './failures';
import { Finds } from './finds';
import type { Memory } from './memory/memory';
import { READINGS } from './period';
import type { Ports } from './ports';
import type { Between, Census } from './state';
import { walk } from './walk';

// A quarter of the 120 reads a minute (API document, Limits). Polls less than a minute apart read fewer.
const PAGES_PER_POLL = 30;
const MS_PER_PAGE = 60_000 / PAGES_PER_POLL;

// The longest part in one poll, in milliseconds: the emission of the poll waits for its end.
const MAX_MS = 10_000;

const PAGES_PER_LINE = 100;

/** 7. Reads a part of the whole list, and learns unknown records as unconfirmed. Emits nothing, and fails no poll. */
export async function takeCensus(
	state: Between,
	memory: Memory,
	ports: Ports,
): Promise<{ state: Between; hasLearned: boolean }> {
	const { plural } = ports.kind;
	const { census } = state;
	const begunAt = ports.now();
	const due = census === null ? 0 : pagesDue(census, begunAt);
	if (census === null || due === 0 || !ports.hasTime()) return { state, hasLearned: false };
	if (census.readAt === null) {
		ports.log.info(`The census begins: it learns which ${plural} there are, so that they are never new`);
	}
	const { startDate } = census;
	const finds = new Finds(memory, { reader: 'census', startDate }, ports.log);
	const limits = { pages: due, until: begunAt + MAX_MS, isImpatient: true };
	const walked = await walk(census.walk, finds.visit, ports, limits);
	const pages = census.pages + walked.pagesFetched;
	const learned = census.learned + finds.learned;
	const counts = { pages, learned, readAt: begunAt };
	const after = (next: Between) => ({ state: next, hasLearned: finds.learned > 0 });
	if (walked.setback === 'started over') {
		ports.log.info('The service no longer accepts the cursor of the census: it starts over');
	}
	if (Math.floor(pages / PAGES_PER_LINE) > Math.floor(census.pages / PAGES_PER_LINE)) {
		ports.log.info(`The census has read ${pages} pages, and learned ${learned} ${plural}`);
	}
	if (walked.end === 'complete') {
		if (!walked.hadOnePage && census.walks + 1 < READINGS) return after(rereadCensus(state, counts));
		ports.log.info(`The census is complete: it read ${pages} pages, and learned ${learned} ${plural}`);
		return after(endCensus(state));
	}
	const { rest, failure } = walked;
	const lasts = failure !== undefined && !mayRecover(failure);
	if (lasts || isStalled(rest)) {
		const reason = lasts ? failure.message : 'the service does not accept a cursor for long enough';
		ports.log.warn(`The census ended early: what it has not learned arrives as new when it changes. Reason: ${reason}`);
		return after(endCensus(state));
	}
	if (failure !== undefined) ports.log.info(`The census continues with the next poll. Reason: ${failure.message}`);
	return after(pauseCensus(state, rest, counts));
}

function pagesDue({ readAt, startDate }: Census, now: number): number {
	// The start date lies in the future: a record that is created until then is old, too.
	if (startDate !== null && now < startDate) return 0;
	// A clock that was set back cannot say how much time has passed.
	if (readAt === null || now < readAt) return PAGES_PER_POLL;
	return Math.min(PAGES_PER_POLL, Math.floor((now - readAt) / MS_PER_PAGE));
}
