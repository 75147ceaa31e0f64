import type { Setbacks } from './state';

/** A failure to read a page; `cause` is the error for n8n. */
export class NoPage extends Error {
	/**
	 * @param why "rejected cursor" if the service may have rejected it; "recovering" if the service recovers by itself, as from an
	 * outage or a rate limit; "failing" for a 500, which may be an outage or its response to an old cursor; "lasting" otherwise.
	 */
	constructor(
		readonly why: 'rejected cursor' | 'recovering' | 'failing' | 'lasting',
		message: string,
		cause?: unknown,
	) {
		super(message, { cause });
	}
}

/** Whether the next poll may read the page. */
export function mayRecover(failure: unknown): failure is NoPage {
	return failure instanceof NoPage && failure.why !== 'lasting';
}

/** A cursor that came back: the walk may never end. */
export class Endless extends Error {
	constructor(plural: string) {
		const message = `The service names a cursor that came back, so the list of ${plural} might never end`;
		super(message);
	}
}

/** A sweep whose cursors are rejected before it reaches its end. */
export class Stalled extends Error {
	constructor({ inVain, furthest }: Setbacks) {
		const message = `The sweep has had to start over ${inVain} times without getting any further than page ${furthest}`;
		super(message);
	}
}

/** A state that no poll could continue from, or an impossible step: a bug in this code. The poll fails and saves nothing. */
export class WrongState extends Error {
	constructor(rule: string) {
		super(`The state of this trigger would be wrong: ${rule}. Nothing was saved.`);
	}
}

/** @throws WrongState unless the rule holds. */
export function must(holds: boolean, rule: string): asserts holds {
	if (!holds) throw new WrongState(rule);
}
