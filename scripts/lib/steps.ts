/** Runs one step of a task; prints its title and how many seconds it took. */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
	process.stdout.write(`  ${title} … `);
	return await timed('', work);
}

/** Runs one of several steps at a time; prints the same once it has ended. */
export async function stepBesideOthers<T>(title: string, work: () => Promise<T>): Promise<T> {
	return await timed(`  ${title}: `, work);
}

async function timed<T>(prefix: string, work: () => Promise<T>): Promise<T> {
	const started = Date.now();
	try {
		const result = await work();
		process.stdout.write(`${prefix}${((Date.now() - started) / 1_000).toFixed(1)} s\n`);
		return result;
	} catch (error) {
		process.stdout.write(`${prefix}failed\n`);
		throw error;
	}
}

/** Prints why a task failed and returns its exit code. */
export function reportFailure(error: unknown): number {
	const message = error instanceof Error ? error.message : String(error);
	process.stderr.write(`\n${message}\n`);
	if (process.env.LEAD_REVENUE_VERBOSE === '1' && error instanceof Error) {
		process.stderr.write(`${error.stack ?? ''}\n`);
	}
	return 1;
}
