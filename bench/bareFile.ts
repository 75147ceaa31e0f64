// The same file without n8n: a loop around axios that writes all leads as CSV.
// Arguments: base URL, key, and the file.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { pagesOf, serviceWith } from './bare.ts';

const [baseURL, key, file] = process.argv.slice(2) as [string, string, string];

function cell(value: unknown): string {
	const text =
		value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const started = performance.now();
const out = createWriteStream(file);
let columns: string[] | undefined;
let records = 0;
for await (const leads of pagesOf<Record<string, unknown>>(serviceWith(baseURL, key), '/v1/leads/')) {
	let text = '';
	if (columns === undefined) {
		columns = Object.keys(leads[0] ?? {});
		text = `${[...columns, 'other_fields'].join(',')}\r\n`;
	}
	for (const lead of leads) text += `${columns.map((column) => cell(lead[column])).join(',')},\r\n`;
	records += leads.length;
	if (!out.write(text)) await once(out, 'drain');
}
out.end();
await once(out, 'finish');
const seconds = (performance.now() - started) / 1_000;
process.stdout.write(JSON.stringify({ records, bytes: out.bytesWritten, seconds }));
