const systemNow = Date.now.bind(Date);
let aheadMs = 0;

/** Puts the clock of this process forward, as if `ms` milliseconds had passed. */
export function putForward(ms: number): void {
	aheadMs += ms;
	Date.now = () => systemNow() + aheadMs;
}
