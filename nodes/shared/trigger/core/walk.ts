import { FRESH_TRAIL, trailAfter } from '../../service/trail';
import type { WalkEnd } from './cycle';
import { endWalk, pageCame, startOver, turnPage, undo } from './cycle';
import { Endless, NoPage } from './failures';
import type { Fingerprint } from './memory/fingerprint';
import { fingerprintOf } from './memory/fingerprint';
import type { Ports } from './ports';
import type { Walk } from './state';

/** The limits of one part of a walk, besides the poll's time. */
interface Limits {
	pages?: number;
	/** When the part ends, by n8n's clock. */
	until?: number;
	/** See Ports. */
	isImpatient?: boolean;
}

type Walked = (Seen & { end: 'complete' } & WalkEnd) | Stopped;

interface Seen {
	pagesFetched: number;
	/** "went back" is to where this part began. Either way an emission of this part begins at the first page. */
	setback: 'started over' | 'went back' | undefined;
}

interface Paused {
	end: 'paused';
	because: 'no time is left' | 'no page is due' | 'the limit is reached';
	failure?: undefined;
}

/** A walk that did not reach its last page. */
export type Stopped = Seen & { rest: Walk } & (Paused | { end: 'failed'; failure: NoPage | Endless });

/**
 * 4. Continues a walk until it is complete, or until the poll's time, a limit or a failure stops it. The order of the pages, and
 * of the records on them, does not matter. The first page of a part is requested however little time there is.
 *
 * A page counts as read only if `visit` took all its records; otherwise the next poll reads the page again. A page whose next cursor
 * came back is not visited: the walk starts over and stops. After a page that does not come, `afterNoPage` decides.
 */
export async function walk(
	from: Walk,
	visit: (page: readonly Fingerprint[], latest: number) => boolean,
	ports: Ports,
	{ pages = Infinity, until = Infinity, isImpatient = false }: Limits = {},
): Promise<Walked> {
	let rest = from;
	let pagesFetched = 0;
	let startedOver: StartedOver | undefined;
	const seen = (): Seen => ({ pagesFetched, setback: startedOver && 'started over' });
	const paused = (because: Paused['because']): Stopped => ({ ...seen(), rest, end: 'paused', because });
	const failed = (failure: NoPage | Endless, at = rest): Stopped => ({ ...seen(), rest: at, end: 'failed', failure });
	for (let requests = 0; ; requests++) {
		if (requests >= pages) return paused('no page is due');
		const hasTime = requests === 0 || (ports.hasTime() && ports.now() < until);
		if (!hasTime) return paused('no time is left');
		const { cursor, trail } = rest.next ?? { cursor: null, trail: FRESH_TRAIL };
		const page = await ports.fetchPage(rest.since, cursor, isImpatient).catch(noPage);
		if (page instanceof NoPage) {
			const { why } = page;
			const next = afterNoPage(why, { startedOver, isFirstRequest: requests === 0, isLaterPage: rest.next !== null });
			if (next === 'go back') return { ...failed(page, undo(rest, from)), setback: 'went back' };
			if (next === 'stop' || (next === 'try the first page' && !(await hasFirstPage(rest, ports)))) return failed(page);
			rest = startOver(rest);
			if (next === 'start over and stop') return failed(page);
			startedOver = why === 'failing' ? 'after a 500' : 'after a rejection';
			continue;
		}
		pagesFetched++;
		const { nextCursor, records } = page;
		const followed = trailAfter(trail, { cursor, nextCursor });
		if (followed === undefined) return failed(new Endless(ports.kind.plural), startOver(rest));
		const begun = pageCame(rest, page.asOf);
		rest = begun;
		const fingerprints = records.map((record) => fingerprintOf(record, ports.kind));
		const takesAll = visit(fingerprints, page.latest);
		if (!takesAll) return paused('the limit is reached');
		if (nextCursor === null) return { ...seen(), end: 'complete', ...endWalk(begun, page.latest) };
		rest = turnPage(begun, { cursor: nextCursor, trail: followed });
	}
}

type StartedOver = 'after a rejection' | 'after a 500';

/**
 * Decides what a walk does after a page that did not come: the first row that fits. A 500 may reject a cursor (the status is a gap:
 * API document, Errors), and then does so for ever.
 *
 * a 500, in a part that started over after a 500    go back              to where the walk was before this part, and stop
 * a 500 to the cursor of an earlier part            try the first page   If it can be read, start over; otherwise stop.
 * a rejected cursor of a later page:
 *   in a part that started over                     start over and stop
 *   otherwise                                       start over
 * any other failure                                 stop
 */
function afterNoPage(
	why: NoPage['why'],
	at: { startedOver: StartedOver | undefined; isFirstRequest: boolean; isLaterPage: boolean },
): 'go back' | 'try the first page' | 'start over and stop' | 'start over' | 'stop' {
	if (why === 'failing' && at.startedOver === 'after a 500') return 'go back';
	if (why === 'failing' && at.isFirstRequest && at.isLaterPage) return 'try the first page';
	if (why !== 'rejected cursor' || !at.isLaterPage) return 'stop';
	return at.startedOver === undefined ? 'start over' : 'start over and stop';
}

async function hasFirstPage({ since }: Walk, ports: Ports): Promise<boolean> {
	return !((await ports.fetchPage(since, null, true).catch(noPage)) instanceof NoPage);
}

/** @throws any failure that is not the service's. */
function noPage(failure: unknown): NoPage {
	if (failure instanceof NoPage) return failure;
	throw failure;
}
