/** A cell: `null` where it is empty without quotes. */
type Cell = string | null;

/**
 * Returns the records of an RFC 4180 text. Strict: @throws Error for a quote out of place, or a record that does not end
 * with CRLF.
 */
export function parseCsv(text: string): Cell[][] {
	const cell = /"((?:[^"]|"")*)"|([^",\r\n]*)/y;
	const records: Cell[][] = [];
	let record: Cell[] = [];
	while (cell.lastIndex < text.length || record.length > 0) {
		const [, quoted, plain = ''] = cell.exec(text) as RegExpExecArray;
		record.push(quoted === undefined ? (plain === '' ? null : plain) : quoted.replaceAll('""', '"'));
		if (text[cell.lastIndex] === ',') {
			cell.lastIndex++;
		} else {
			if (!text.startsWith('\r\n', cell.lastIndex)) throw new Error(`no CRLF at ${cell.lastIndex}`);
			cell.lastIndex += 2;
			records.push(record);
			record = [];
		}
	}
	return records;
}
