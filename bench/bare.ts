// What the benchmarks compare with: the service read by axios alone.
import type { AxiosInstance } from 'axios';
import axios from 'axios';

/** Returns a client of the service at `baseURL`, requested with this key. */
export function serviceWith(baseURL: string, key: string): AxiosInstance {
	return axios.create({ baseURL, headers: { Authorization: `Bearer ${key}`, Accept: 'application/json' } });
}

/** Reads a list by pages of 100, one request after the other. */
export async function* pagesOf<T>(http: AxiosInstance, path: string, query: object = {}): AsyncGenerator<T[]> {
	let cursor: string | null = null;
	do {
		const params: object = { page_size: 100, ...query, ...(cursor !== null && { cursor }) };
		const { data }: { data: { data: T[]; next_cursor: string | null } } = await http.get(path, { params });
		yield data.data;
		cursor = data.next_cursor;
	} while (cursor !== null);
}
