import { trailAfter } from '../../service/trail';
import { pageCame, startOver, turnPage } from './cycle';
import { Endless, NoPage } from './failures';
import type { Fingerprint } from './memory/fingerprint';
import { fingerprintOf } from './memory/fingerprint';
import type { Ports, RecordPage } from './ports';
import type { Walk } from './state';

/** How far a part of a walk goes, besides the time of the poll. */
interface Limits {
	pages?: number;
	/** When it ends, by the local clock. */
	until?: number;
	/** See Ports. */
	isImpatient?: boolean;
}

/** Where a poll left a walk: its `end` after the last page, otherwise what to continue. */
type Walked<W extends Walk> = {
	pagesFetched: number;
	/** Whether the service rejected the cursor, and the walk began again. */
	startedOver: boolean;
} & (
	| { left: null; end: { startedAt: number; hadOnePage: boolean } }
	/** `failure` stopped it; without one, time or the number of records did. */
	| { left: W; failure?: unknown }
);

export type Interrupted<W extends Walk> = Extract<Walked<W>, { left: W }>;

/**
 * 4. Continues a walk until it is complete, or until the poll's time, its number of records or a failure ends it. The
 * order of the pages and of the records on them does not matter.
 *
 * A page counts as read only when `visit` took all of it: otherwise the next poll reads it again. A rejected cursor
 * starts the walk over once; a second one, or another failure to get a page, is the `failure`. A cursor that came back starts
 * it over, too, and the failure is Endless.
 */
export async function walk<W extends Walk>(
	from: W,
	visit: (page: readonly Fingerprint[]) => boolean,
	ports: Ports,
	{ pages = Infinity, until = Infinity, isImpatient = false }: Limits = {},
): Promise<Walked<W>> {
	let left = from;
	const seen = { pagesFetched: 0, startedOver: false };
	const goesOn = (requests: number) => requests === 0 || (requests < pages && ports.hasTime() && ports.now() < until);
	for (let requests = 0; goesOn(requests); requests++) {
		let page: RecordPage;
		try {
			page = await ports.fetchPage(left.since, left.cursor, isImpatient);
		} catch (failure) {
			if (!(failure instanceof NoPage && failure.why === 'rejected cursor')) return { ...seen, left, failure };
			left = startOver(left);
			if (seen.startedOver) return { ...seen, left, failure };
			seen.startedOver = true;
			continue;
		}
		seen.pagesFetched++;
		const { nextCursor, records } = page;
		const trail = trailAfter(left.trail, { cursor: left.cursor, nextCursor, records });
		if (trail === undefined) return { ...seen, left: startOver(left), failure: new Endless(ports.kind.plural) };
		const begun = pageCame(left, page.asOf, ports.now());
		left = begun;
		if (!visit(records.map((record) => fingerprintOf(record, ports.kind)))) return { ...seen, left };
		if (nextCursor === null) {
			const { startedAt } = begun;
			return { ...seen, left: null, end: { startedAt, hadOnePage: left.cursor === null } };
		}
		left = turnPage(begun, nextCursor, trail);
	}
	return { ...seen, left };
}
