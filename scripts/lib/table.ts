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

/** Returns a Markdown table as the formatter writes it: each column as wide as its longest cell. */
export function markdownTable(header: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const widths = header.map((head, column) => Math.max(head.length, ...rows.map((row) => (row[column] ?? '').length)));
	const line = (row: readonly string[]) =>
		`| ${widths.map((width, at) => (row[at] ?? '').padEnd(width)).join(' | ')} |`;
	return [header, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n');
}
