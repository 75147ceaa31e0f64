import type { IDataObject } from 'n8n-workflow';
import { connectionsOf } from '../../../../../nodes/shared/service/connection/connections.ts';

const credential = (apiKey: string): IDataObject => ({ baseUrl: 'https://api.example.com', apiKey });

/** What n8n does with the number of the item for every expression. */
const lookUp = (index: number): void => void [][index];

/** Returns a run of an n8n that gives each reading of the credential what `read` says, by the number of the item. */
function running(
	read: (itemIndex: number) => IDataObject | Promise<IDataObject>,
	{ items = 4, evaluate = lookUp } = {},
) {
	let reads = 0;
	const connected = connectionsOf({
		getNode: () => ({ name: 'Node', type: 'node', parameters: {} }),
		getInputData: () => Array.from({ length: items }, () => ({})),
		evaluateExpression: (_expression: string, itemIndex: number) => evaluate(itemIndex),
		getCredentials: async (_type: string, itemIndex: number) => {
			reads++;
			return await read(itemIndex);
		},
	} as never);
	return { connected, reads: () => reads };
}

/** Returns the credential of an item, as n8n resolves it for an expression. */
const keyOfItem = (itemIndex: number) => credential(`key-of-${itemIndex}`);

describe('the connections of a run', () => {
	test('are one and the same for all items when the credential has no expression, even for items that begin at once', async () => {
		const { connected, reads } = running(() => credential('plain-key'));
		const all = await Promise.all([0, 1, 2, 3].map(connected));
		expect(new Set(all)).toEqual(new Set([await connected(0)]));
		expect(reads()).toBe(1);
	});

	test('are each item’s own when it has', async () => {
		const { connected, reads } = running(keyOfItem);
		const all = await Promise.all([0, 1, 2, 3].map(connected));
		const keys = all.map((connection) => connection.alreadyRead().credentialsDecrypted?.data?.apiKey);
		expect(keys).toEqual(['key-of-0', 'key-of-1', 'key-of-2', 'key-of-3']);
		// One to find out.
		expect(reads()).toBe(5);
	});

	test('know the secrets of all of them', async () => {
		const { connected } = running(keyOfItem);
		const [first] = await Promise.all([0, 1].map(connected));
		expect(first?.redact('key-of-0 key-of-1 key-of-2')).toBe('*** *** key-of-2');
		await connected(2);
		expect(first?.redact('key-of-2')).toBe('***');
	});

	test('of one item know it, too: another attempt may have several', async () => {
		const { connected } = running(keyOfItem, { items: 1 });
		expect(await connected(0)).toMatchObject({ target: expect.any(String) });
		const plain = running(() => credential('plain-key'), { items: 1 });
		expect((await plain.connected(0)).target).toBeUndefined();
		expect(plain.reads()).toBe(1);
	});

	test.each<[string, (index: number) => void]>([
		['does not look up the item', () => {}],
		[
			'evaluates nothing here',
			() => {
				throw new Error('no data');
			},
		],
	])('are each item’s own, to be sure, in an n8n that %s', async (_name, evaluate) => {
		const { connected, reads } = running((itemIndex) => credential(`key-${typeof itemIndex}`), { evaluate });
		for (const itemIndex of [0, 1]) expect((await connected(itemIndex)).redact('key-number')).toBe('***');
		expect(reads()).toBe(2);
	});

	test('that could not be read are read again for the next item, and then no more', async () => {
		let attempts = 0;
		const { connected, reads } = running(async () => {
			if (++attempts === 1) throw new Error('the database is locked');
			return credential('plain-key');
		});
		await expect(connected(0)).rejects.toThrow('the database is locked');
		const connection = await connected(1);
		expect(await connected(2)).toBe(connection);
		expect(reads()).toBe(2);
	});

	test('fail only for the item whose expression fails', async () => {
		const { connected } = running((itemIndex) => {
			if (Number(itemIndex) === 0) throw new Error('no such node');
			return keyOfItem(itemIndex);
		});
		const [first, second] = await Promise.allSettled([connected(0), connected(1)]);
		expect(first).toMatchObject({ status: 'rejected', reason: new Error('no such node') });
		expect(second).toMatchObject({ status: 'fulfilled' });
	});
});
