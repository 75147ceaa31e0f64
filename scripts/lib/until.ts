import { setTimeout as wait } from 'node:timers/promises';

/** Waits until `condition` holds. @throws Error that names `what` after `withinMs`. */
export async function until(
	what: string,
	withinMs: number,
	condition: () => boolean | Promise<boolean>,
	everyMs = 100,
): Promise<void> {
	const deadline = Date.now() + withinMs;
	while (!(await condition())) {
		if (Date.now() > deadline) throw new Error(`not within ${withinMs / 1_000} s: ${what}`);
		await wait(everyMs);
	}
}
