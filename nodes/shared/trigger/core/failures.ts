import type { Setbacks } from './state';

/** The service no longer accepts a cursor; `cause` is its response. */
export class CursorRejected extends Error {}

/** A failure that is likely to pass without help: an outage or a rate limit, not a wrong credential. `cause` is the failure. */
export class Passing extends Error {}

/** A cursor came back, so that the sweep may never end. */
export class Endless extends Error {
	constructor(plural: string) {
		const message = `The service names a cursor that came back, so the list of ${plural} might never end`;
		super(message);
	}
}

/** The cursors of a sweep are rejected before it reaches its end. */
export class Stalled extends Error {
	constructor({ inVain, furthest }: Setbacks) {
		const message = `The sweep has had to start over ${inVain} times without getting any further than page ${furthest}`;
		super(message);
	}
}
