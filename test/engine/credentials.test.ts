import type { Fault } from '../../sandbox/src/client.ts';
import { runNode } from '../support/engine';
import { control, organization, withoutBackoff } from '../support/service';

withoutBackoff();

const echoing = (secret: string, status: number): Fault => ({
	action: 'replace',
	status,
	content_type: 'application/json',
	body: JSON.stringify(status < 300 ? { data: [{ id: 'l', seen: secret }], next_cursor: null } : { error: { type: 'x', message: `Seen: ${secret}`, request_id: 'r' } }),
});

describe('a key that was pasted with more than itself', () => {
	// A byte order mark and a zero width space are what some editors put there.
	const pasted = (key: string) => `\ufeff\t ${key.slice(0, 9)}\u200b\n${key.slice(9)} \r\n`;

	test('is sent without that, and kept out of items and errors as it was sent and as it is stored', async () => {
		const org = await organization({ leads: 3 });
		const { apiKey } = org.credential;
		const credential = { ...org.credential, apiKey: pasted(apiKey) };
		const list = async () => await runNode({ type: 'listLeads', parameters: { returnAll: true }, credential });
		expect((await list()).items).toHaveLength(3);
		for (const echoed of [apiKey, pasted(apiKey)]) {
			await control.addFaults(org.id, [echoing(echoed, 200), echoing(echoed, 400)]);
			expect((await list()).items.map(({ json }) => json.seen)).toEqual(['***']);
			expect((await list()).error?.message).toContain('Seen: ***');
		}
	});
});
