/** Writes a bug of the sandbox to stderr. */
export function reportBug(what: string): void {
	process.stderr.write(`SANDBOX BUG ${what}\n`);
}
