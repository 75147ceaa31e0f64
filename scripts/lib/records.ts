/** Where a service is, and a key of one of its organizations. */
interface Access {
	baseUrl: string;
	apiKey: string;
}

/** Returns the records of a list, or of the pages with the first `most`, read from the service without the nodes. */
export async function records<T>({ baseUrl, apiKey }: Access, path: string, most = Infinity): Promise<T[]> {
	const all: T[] = [];
	let cursor: string | null = '';
	do {
		const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
		const response = await fetch(`${baseUrl}${path}?page_size=${Math.min(most, 100)}${query}`, {
			headers: { authorization: `Bearer ${apiKey}` },
		});
		const page = (await response.json()) as { data: T[]; next_cursor: string | null };
		all.push(...page.data);
		cursor = page.next_cursor;
	} while (cursor !== null && all.length < most);
	return all;
}

/** Returns the ids of the first leads, read without the nodes. */
export async function leadIds({ credential }: { credential: Access }, count = Infinity): Promise<string[]> {
	const leads = await records<{ id: string }>(credential, '/v1/leads/', count);
	return leads.slice(0, count).map(({ id }) => id);
}
