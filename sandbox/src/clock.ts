/** The service's clock: the machine's, moved by an offset that the control plane sets. Milliseconds since 1970. */
export class Clock {
	/** How far the service's clock is ahead of the machine's, in milliseconds. */
	offset = 0;

	now(): number {
		return Date.now() + this.offset;
	}
}
