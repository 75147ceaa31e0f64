import { setTimeout as wait } from 'node:timers/promises';

const CHECK_EVERY_MS = 100;

/** Waits until `condition` holds. @throws Error that names `what` after `withinMs`. */
export async function until(
	what: string,
	withinMs: number,
	condition: () => boolean | Promise<boolean>,
): Promise<void> {
	const deadline = Date.now() + withinMs;
	while (!(await condition())) {
		if (Date.now() > deadline) throw new Error(`not within ${withinMs / 1_000} s: ${what}`);
		await wait(CHECK_EVERY_MS);
	}
}
