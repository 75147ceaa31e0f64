const LINE_EVERY_MS = 30_000;

/**
 * Runs a long step and shows for how long it has run: every second on a terminal, every half minute in a log. `estimate`
 * says in words how long it takes.
 */
export async function longStep(title, estimate, work) {
	const started = Date.now();
	const seconds = () => `${Math.round((Date.now() - started) / 1_000)} s`;
	const terminal = process.stderr.isTTY === true;
	const head = `${title} (${estimate}) …`;
	process.stderr.write(terminal ? head : `${head}\n`);
	const timer = setInterval(
		() => process.stderr.write(terminal ? `\r${head} ${seconds()}` : `  ${title}: ${seconds()}\n`),
		terminal ? 1_000 : LINE_EVERY_MS,
	);
	try {
		const result = await work();
		process.stderr.write(terminal ? `\r${head} done in ${seconds()}\n` : `  ${title}: done in ${seconds()}\n`);
		return result;
	} catch (error) {
		process.stderr.write(terminal ? '\n' : '');
		throw error;
	} finally {
		clearInterval(timer);
	}
}
