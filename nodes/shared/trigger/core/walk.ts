import { trailAfter } from '../../service/trail';
import type { SweepEnd } from './cycle';
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

/** A walk as a poll leaves it: its `end` after the last page, otherwise the rest of the walk, and why it stopped. */
type Walked<W extends Walk> = {
	pagesFetched: number;
	/** Whether the service rejected a cursor, and the walk started over. */
	startedOver: boolean;
} & ({ left: null; end: SweepEnd & { hadOnePage: boolean } } | ({ left: W } & Stop));

/** Why a walk stopped before its end, as a clause for the log. */
type Stop =
	| { why: 'a failure'; failure: NoPage | Endless }
	| { why: 'no time is left' | 'no page is due' | 'the limit is reached'; failure?: undefined };

export type Interrupted<W extends Walk> = Extract<Walked<W>, { left: W }>;

/**
 * 4. Continues a walk until it is complete, or until the poll's time, a limit or a failure stops it. The order of the pages, and
 * of the records on them, does not matter.
 *
 * A page counts as read only if `visit` took all its records; otherwise the next poll reads the page again. A rejected cursor
 * starts the walk over once. A second one, or another failure to get a page, is the `failure`. A page whose next cursor came back
 * is not visited: the walk starts over, too, and its failure is Endless. The first page of a part is always requested, however
 * little time there is.
 */
export async function walk<W extends Walk>(
	from: W,
	visit: (page: readonly Fingerprint[]) => boolean,
	ports: Ports,
	{ pages = Infinity, until = Infinity, isImpatient = false }: Limits = {},
): Promise<Walked<W>> {
	let left = from;
	const seen = { pagesFetched: 0, startedOver: false };
	for (let requests = 0; ; requests++) {
		if (requests > 0 && requests >= pages) return { ...seen, left, why: 'no page is due' };
		if (requests > 0 && !(ports.hasTime() && ports.now() < until)) return { ...seen, left, why: 'no time is left' };
		const page = await ports.fetchPage(left.since, left.cursor, isImpatient).catch(noPage);
		if (page instanceof NoPage) {
			const stop = { ...seen, why: 'a failure' as const, failure: page };
			if (page.why !== 'rejected cursor') return { ...stop, left };
			left = startOver(left);
			if (seen.startedOver) return { ...stop, left };
			seen.startedOver = true;
			continue;
		}
		seen.pagesFetched++;
		const { nextCursor, records } = page;
		const trail = trailAfter(left.trail, { cursor: left.cursor, nextCursor, records });
		if (trail === undefined) {
			return { ...seen, left: startOver(left), why: 'a failure', failure: new Endless(ports.kind.plural) };
		}
		const begun = pageCame(left, page.asOf, ports.now());
		left = begun;
		const takesAll = visit(records.map((record) => fingerprintOf(record, ports.kind)));
		if (!takesAll) return { ...seen, left, why: 'the limit is reached' };
		if (nextCursor === null) {
			const { startedAt } = begun;
			return { ...seen, left: null, end: { startedAt, latest: page.latest, hadOnePage: left.cursor === null } };
		}
		left = turnPage(begun, nextCursor, trail);
	}
}

/** @throws any failure that is not the service's. */
function noPage(failure: unknown): NoPage {
	if (failure instanceof NoPage) return failure;
	throw failure;
}
