import type { IDataObject } from 'n8n-workflow';
import type { Encoder } from './encoder';

const OTHER_FIELDS = 'other_fields';

// A cell that a spreadsheet may run: these characters also in full width, behind white space, and a leading tab or line break
// (OWASP, CSV Injection). With apostrophes in front it counts, too, so that removing one restores every text.
const FORMULA = /^'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;
// Numbers and phone numbers: no cell, function or address that a spreadsheet could reach.
const ONLY_DIGITS = /^[+-]?(?:[\d ()./-]+|[\d.]+e[+-]?\d+)$/i;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/**
 * RFC 4180, in UTF-8. The columns are `documented`, or else the fields of the first page with records, and after them one
 * for what a record has besides, as a JSON object. An object or array is JSON, an empty text `""`, and null or a missing
 * field an empty cell. Unless `keepFormulas`, a text that a spreadsheet may run as a formula gets an apostrophe in front.
 */
export function csvEncoder(documented: readonly string[] | undefined, keepFormulas: boolean): Encoder {
	const text = (value: string) => {
		const harmless = keepFormulas || !FORMULA.test(value) || ONLY_DIGITS.test(value) ? value : `'${value}`;
		return harmless === '' || NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
	};
	const cell = (value: unknown) => {
		if (value === null || value === undefined) return '';
		return text(typeof value === 'object' ? JSON.stringify(value) : String(value));
	};
	const line = (record: IDataObject, columns: readonly string[]) => {
		let known = 0;
		let cells = '';
		for (const column of columns) {
			if (Object.hasOwn(record, column)) {
				known++;
				cells += cell(record[column]);
			}
			cells += ',';
		}
		const fields = Object.keys(record);
		// Not an empty line, which programs skip.
		if (fields.length === known && columns.length > 0) return `${cells}\r\n`;
		const others = fields.filter((field) => !columns.includes(field));
		return `${cells}${cell(Object.fromEntries(others.map((field) => [field, record[field]])))}\r\n`;
	};

	let columns: readonly string[] | undefined;
	const head = (chosen: readonly string[]) => {
		columns = chosen;
		let others = OTHER_FIELDS;
		while (chosen.includes(others)) others += '_';
		return `${[...chosen, others].map(text).join(',')}\r\n`;
	};
	return {
		page(records) {
			if (records.length === 0) return '';
			const first = columns === undefined ? head(documented ?? [...new Set(records.flatMap(Object.keys))]) : '';
			return records.reduce((text, record) => text + line(record, columns as readonly string[]), first);
		},
		end: () => (columns === undefined ? head(documented ?? []) : ''),
	};
}
