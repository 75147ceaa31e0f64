import { FRESH_TRAIL, trailAfter } from '../../service/trail';
import type { WalkEnd } from './cycle';
import { pageCame, startOver, turnPage } from './cycle';
import { Endless, NoPage } from './failures';
import type { Fingerprint } from './memory/fingerprint';
import { fingerprintOf } from './memory/fingerprint';
import type { Ports } from './ports';
import type { Walk } from './state';

/** The limits of one part of a walk, besides the poll's time. */
interface Limits {
	pages?: number;
	/** The local clock when the part ends. */
	until?: number;
	/** See Ports. */
	isImpatient?: boolean;
}

/** Why a walk stopped, for the log, and its end or the rest of the walk. */
type Walked = (Seen & { why: 'the last page is read' } & WalkEnd) | Stopped;

interface Seen {
	pagesFetched: number;
	/** Whether the service rejected a cursor, and the walk started over. */
	startedOver: boolean;
}

/** A walk that did not reach its last page. */
export type Stopped = Seen & { rest: Walk } & (
		| { why: 'a failure'; failure: NoPage | Endless }
		| { why: 'no time is left' | 'no page is due' | 'the limit is reached'; failure?: undefined }
	);

/**
 * 4. Continues a walk until it is complete, or until the poll's time, a limit or a failure stops it. The order of the pages, and
 * of the records on them, does not matter.
 *
 * A page counts as read only if `visit` took all its records; otherwise the next poll reads the page again. A rejected cursor
 * starts the walk over once. A second one, or another failure to get a page, is the `failure`. A page whose next cursor came back
 * is not visited: the walk starts over, too, and its failure is Endless. The first page of a part is always requested, however
 * little time there is.
 */
export async function walk(
	from: Walk,
	visit: (page: readonly Fingerprint[]) => boolean,
	ports: Ports,
	{ pages = Infinity, until = Infinity, isImpatient = false }: Limits = {},
): Promise<Walked> {
	let rest = from;
	const seen: Seen = { pagesFetched: 0, startedOver: false };
	for (let requests = 0; ; requests++) {
		if (requests >= pages) return { ...seen, rest, why: 'no page is due' };
		const hasTime = requests === 0 || (ports.hasTime() && ports.now() < until);
		if (!hasTime) return { ...seen, rest, why: 'no time is left' };
		const { cursor, trail } = rest.next ?? { cursor: null, trail: FRESH_TRAIL };
		const page = await ports.fetchPage(rest.since, cursor, isImpatient).catch(noPage);
		if (page instanceof NoPage) {
			const stop = { ...seen, why: 'a failure' as const, failure: page };
			if (page.why !== 'rejected cursor') return { ...stop, rest };
			rest = startOver(rest);
			if (seen.startedOver) return { ...stop, rest };
			seen.startedOver = true;
			continue;
		}
		seen.pagesFetched++;
		const { nextCursor, records } = page;
		const followed = trailAfter(trail, { cursor, nextCursor });
		if (followed === undefined) {
			return { ...seen, rest: startOver(rest), why: 'a failure', failure: new Endless(ports.kind.plural) };
		}
		const begun = pageCame(rest, page.asOf);
		rest = begun;
		const takesAll = visit(records.map((record) => fingerprintOf(record, ports.kind)));
		if (!takesAll) return { ...seen, rest, why: 'the limit is reached' };
		if (nextCursor === null) {
			const end = { startedAt: begun.startedAt, latest: page.latest, hadOnePage: cursor === null };
			return { ...seen, why: 'the last page is read', ...end };
		}
		rest = turnPage(begun, { cursor: nextCursor, trail: followed });
	}
}

/** @throws any failure that is not the service's. */
function noPage(failure: unknown): NoPage {
	if (failure instanceof NoPage) return failure;
	throw failure;
}
