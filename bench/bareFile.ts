// The same file without n8n: a loop around axios that writes all leads as CSV.
// Arguments: base URL, key, and the file.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import axios from 'axios';

const [baseURL, key, file] = process.argv.slice(2) as [string, string, string];
const http = axios.create({ baseURL, headers: { Authorization: `Bearer ${key}`, Accept: 'application/json' } });

interface Page {
	data: Array<Record<string, unknown>>;
	next_cursor: string | null;
}

function cell(value: unknown): string {
	const text =
		value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const started = performance.now();
const out = createWriteStream(file);
let columns: string[] | undefined;
let records = 0;
let cursor: string | null = null;
do {
	const params: Record<string, string | number> = { page_size: 100, ...(cursor !== null && { cursor }) };
	const { data }: { data: Page } = await http.get<Page>('/v1/leads/', { params });
	let text = '';
	if (columns === undefined) {
		columns = Object.keys(data.data[0] ?? {});
		text = `${[...columns, 'other_fields'].join(',')}\r\n`;
	}
	for (const lead of data.data) text += `${columns.map((column) => cell(lead[column])).join(',')},\r\n`;
	records += data.data.length;
	if (!out.write(text)) await once(out, 'drain');
	cursor = data.next_cursor;
} while (cursor !== null);
out.end();
await once(out, 'finish');
const seconds = (performance.now() - started) / 1_000;
process.stdout.write(JSON.stringify({ records, bytes: out.bytesWritten, seconds }));
