// The same without n8n: a loop around axios that reads all leads or tags some of them.
// Arguments: base URL, key, and for writes the number of tags and the tag's id.
import { randomUUID } from 'node:crypto';
import { pagesOf, serviceWith } from './bare.ts';

const [baseURL, key, writes, tag] = process.argv.slice(2) as [string, string, string?, string?];
const http = serviceWith(baseURL, key);

async function readLeads(most: number): Promise<Array<{ id: string }>> {
	const leads: Array<{ id: string }> = [];
	for await (const page of pagesOf<{ id: string }>(http, '/v1/leads/')) {
		for (const lead of page) leads.push(lead);
		if (leads.length >= most) break;
	}
	return leads.slice(0, most);
}

async function tagEach(leads: Array<{ id: string }>): Promise<Array<{ id: string }>> {
	for (const { id } of leads) {
		const headers = { 'Idempotency-Key': randomUUID() };
		await http.post(`/v1/leads/${encodeURIComponent(id)}/tags/`, { tag_id: Number(tag) }, { headers });
	}
	return leads;
}

async function measure(work: () => Promise<unknown[]>): Promise<void> {
	const started = performance.now();
	const { length: count } = await work();
	process.stdout.write(JSON.stringify({ count, seconds: (performance.now() - started) / 1_000 }));
}

if (writes === undefined) await measure(async () => await readLeads(Infinity));
else {
	const leads = await readLeads(Number(writes));
	await measure(async () => await tagEach(leads));
}
