// The same without n8n: a loop around axios that reads all leads or tags some of them.
// Arguments: base URL, key, and for writes the number of tags and the tag's id.
import { randomUUID } from 'node:crypto';
import axios from 'axios';

const [baseURL, key, writes, tag] = process.argv.slice(2) as [string, string, string?, string?];
const http = axios.create({ baseURL, headers: { Authorization: `Bearer ${key}`, Accept: 'application/json' } });

interface Page {
	data: Array<{ id: string }>;
	next_cursor: string | null;
}

async function readLeads(most: number): Promise<Array<{ id: string }>> {
	const leads: Array<{ id: string }> = [];
	let cursor: string | null = null;
	do {
		const params: Record<string, string | number> = { page_size: 100, ...(cursor !== null && { cursor }) };
		const { data } = await http.get<Page>('/v1/leads/', { params });
		for (const lead of data.data) leads.push(lead);
		cursor = data.next_cursor;
	} while (cursor !== null && leads.length < most);
	return leads.slice(0, most);
}

if (writes === undefined) {
	const started = performance.now();
	const leads = await readLeads(Infinity);
	process.stdout.write(JSON.stringify({ count: leads.length, seconds: (performance.now() - started) / 1_000 }));
} else {
	const leads = await readLeads(Number(writes));
	const started = performance.now();
	for (const { id } of leads) {
		const headers = { 'Idempotency-Key': randomUUID() };
		await http.post(`/v1/leads/${encodeURIComponent(id)}/tags/`, { tag_id: Number(tag) }, { headers });
	}
	process.stdout.write(JSON.stringify({ count: leads.length, seconds: (performance.now() - started) / 1_000 }));
}
