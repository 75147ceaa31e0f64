/** Spreads the bits of a 32-bit number (murmur3's finalizer); a bijection, undone by {@link unmix}. */
export function mix(value: number): number {
	let h = value | 0;
	h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
	h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
	return (h ^ (h >>> 16)) >>> 0;
}

/** Returns the 32-bit number whose {@link mix} is `value`. */
export function unmix(value: number): number {
	let h = value | 0;
	h = Math.imul(h ^ (h >>> 16), 0x7ed1b41d);
	h = Math.imul(h ^ (h >>> 13) ^ (h >>> 26), 0xa5cb9243);
	return (h ^ (h >>> 16)) >>> 0;
}

/** Returns a 32-bit number of a text (FNV-1a), to derive one seed from another by name. */
export function seedOf(text: string): number {
	let h = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
	return mix(h);
}

/** A seeded source of numbers (mulberry32). The same seed makes the same sequence on every machine. */
export class Random {
	private state: number;

	constructor(seed: number) {
		this.state = seed | 0;
	}

	/** Starts over from another seed, so that one object serves a million records. */
	restart(seed: number): this {
		this.state = seed | 0;
		return this;
	}

	/** A number in [0, 1). */
	next(): number {
		this.state = (this.state + 0x6d2b79f5) | 0;
		let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
	}

	/** Returns an integer from `low` to `high`, both included. */
	integer(low: number, high: number): number {
		return low + Math.floor(this.next() * (high - low + 1));
	}

	pick<T>(list: readonly T[]): T {
		return list[Math.floor(this.next() * list.length)] as T;
	}

	chance(probability: number): boolean {
		return this.next() < probability;
	}
}
