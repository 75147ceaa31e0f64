import type { IDataObject } from 'n8n-workflow';
import type { Format } from './file';

const OTHER_FIELDS = 'other_fields';

// Every line has a separator for every column: one wide record would make megabytes of a page of narrow ones.
const MAX_COLUMNS = 500;

// A spreadsheet may run a text that begins with one of these characters, also in full width, behind white space, quotes or NUL,
// which LibreOffice leaves out. It may split cells at semicolons, tabs or line breaks even inside quotes, so a formula may begin
// behind each (both measured with LibreOffice 7.4). OWASP's list (CSV Injection) has a leading tab or line break. A formula behind
// apostrophes gets another one: a reader who removes one restores every text. A group in place of the class would overflow V8's
// stack on a long text.
const FORMULAS =
	/(^|[;\t\r\n])(?=[ \0\v\f\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'"]*[=+\-@＝＋－＠])|^(?='*[\t\r\n])/g;
// Matches numbers and phone numbers. They name no cell, function or address that a spreadsheet could reach.
const ONLY_DIGITS = /^[+-]?(?:[\d ()./-]+|[\d.]+e[+-]?\d+)$/i;
// LibreOffice also splits cells at semicolons and tabs, and Excel splits at semicolons in many languages.
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

/**
 * Writes CSV (RFC 4180) in UTF-8. The columns are the `documented` fields, or else the first 500 fields of the first page with
 * records; the last one has the others as a JSON object. A cell has an object or array as JSON, an empty text as `""`, and
 * nothing for null or a missing field. Unless `keepFormulas`, apostrophes disable formulas.
 */
export function csvFormat(documented: readonly string[] | undefined, keepFormulas: boolean): Format {
	const text = (value: string) => {
		const harmless = keepFormulas || ONLY_DIGITS.test(value) ? value : value.replaceAll(FORMULAS, "$1'");
		// V8's replaceAll takes 64 bytes for each quote, of which a list of texts has millions.
		return harmless === '' || NEEDS_QUOTES.test(harmless) ? `"${harmless.split('"').join('""')}"` : harmless;
	};
	const cell = (value: unknown) => {
		if (value === null) return '';
		return text(typeof value === 'object' ? JSON.stringify(value) : String(value));
	};
	const head = (fields: readonly string[]) => {
		let others = OTHER_FIELDS;
		while (fields.includes(others)) others += '_';
		return `${[...fields, others].map(text).join(',')}\r\n`;
	};
	const line = (record: IDataObject, indexes: ReadonlyMap<string, number>) => {
		const cells = Array<string>(indexes.size + 1).fill('');
		const others: string[] = [];
		for (const field of Object.keys(record)) {
			const index = indexes.get(field);
			if (index === undefined) others.push(`${JSON.stringify(field)}:${JSON.stringify(record[field])}`);
			else cells[index] = cell(record[field]);
		}
		// Programs skip an empty line. Without columns, the line of an empty record is therefore `{}`.
		if (others.length > 0 || indexes.size === 0) cells[indexes.size] = text(`{${others.join(',')}}`);
		return `${cells.join(',')}\r\n`;
	};
	return async function* (pages) {
		let fields: readonly string[] | undefined;
		const indexes = new Map<string, number>();
		for await (const page of pages) {
			let header = '';
			if (fields === undefined && page.length > 0) {
				fields = documented ?? [...new Set(page.flatMap(Object.keys))].slice(0, MAX_COLUMNS);
				for (const field of fields) indexes.set(field, indexes.size);
				header = head(fields);
			}
			yield header + page.map((record) => line(record, indexes)).join('');
		}
		if (fields === undefined) yield head(documented ?? []);
	};
}
