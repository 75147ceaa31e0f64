import { inTurn } from '../../../../../nodes/shared/service/send/turns';

/** Work that notes when it begins, and ends when it is told to. */
function work(log: string[], name: string) {
	const { promise, resolve, reject } = Promise.withResolvers<string>();
	const run = async () => {
		log.push(name);
		return await promise;
	};
	return { run, end: () => resolve(name), fail: () => reject(new Error(name)) };
}

const settled = async () => await new Promise((resolve) => setImmediate(resolve));

test('work with one key begins in the order it came, each after the one before; another key does not wait', async () => {
	const log: string[] = [];
	const [first, second, other] = [work(log, 'first'), work(log, 'second'), work(log, 'other')];
	const results = [inTurn('a', first.run), inTurn('a', second.run), inTurn('b', other.run)];
	await settled();
	expect(log).toEqual(['first', 'other']);
	first.end();
	await settled();
	expect(log).toEqual(['first', 'other', 'second']);
	second.end();
	other.end();
	expect(await Promise.all(results)).toEqual(['first', 'second', 'other']);
});

test('work that comes while the second runs waits for it, though the first is over', async () => {
	const log: string[] = [];
	const [first, second, third] = [work(log, 'first'), work(log, 'second'), work(log, 'third')];
	const results = [inTurn('d', first.run), inTurn('d', second.run)];
	first.end();
	await results[0];
	await settled();
	results.push(inTurn('d', third.run));
	await settled();
	expect(log).toEqual(['first', 'second']);
	second.end();
	await results[1];
	await settled();
	expect(log).toEqual(['first', 'second', 'third']);
	third.end();
	await results[2];
});

test('work that fails tells only its own caller, and the next begins', async () => {
	const log: string[] = [];
	const [first, second] = [work(log, 'first'), work(log, 'second')];
	const results = [inTurn('c', first.run), inTurn('c', second.run)];
	first.fail();
	await expect(results[0]).rejects.toThrow('first');
	second.end();
	expect(await results[1]).toBe('second');
});

test('nothing is kept of a key whose work is over', async () => {
	const forgotten = jest.spyOn(Map.prototype, 'delete');
	await inTurn('e', async () => 'done');
	await inTurn('f', async () => await Promise.reject(new Error('broken'))).catch(() => undefined);
	expect(forgotten.mock.calls).toEqual([['e'], ['f']]);
	forgotten.mockRestore();
});
