/** Returns a plain-text table. Columns of numbers are aligned to the right. */
export function table(header: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const all = [header, ...rows];
	const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
	const numeric = header.map(
		(_, column) => rows.length > 0 && rows.every((row) => /^[\d.,\s]*(\s?(s|ms|kB|MB|×))?$/.test(row[column] ?? '')),
	);
	const line = (row: readonly string[]) =>
		`  ${widths
			.map((width, column) =>
				numeric[column] ? (row[column] ?? '').padStart(width) : (row[column] ?? '').padEnd(width),
			)
			.join('   ')
			.trimEnd()}`;
	return [line(header), `  ${widths.map((width) => '─'.repeat(width)).join('   ')}`, ...rows.map(line)].join('\n');
}
