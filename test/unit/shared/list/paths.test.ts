import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { pathsIn, valuesAt } from '../../../../nodes/shared/list/paths.ts';
import { collectGarbage } from '../../../../scripts/lib/collectGarbage.ts';

const parsed = (json: string) => JSON.parse(json) as IDataObject;

const LEAD = parsed(
	'{ "id": 7, "name": null, "a.b": "whole", "a": { "b": "inside", "c": { "d": 1 } }, "tags": ["vip", ["new"]], "none": [], "deals": [{ "sum": 1, "by": [{ "who": "x" }] }, { "sum": 2 }, 3], "text": "abc" }',
);

const MB = 1024 * 1024;

/** Returns how much memory `read` has taken when it comes to the end of a list in the record. */
function memoryOf(entries: unknown[], read: (record: IDataObject) => unknown): number {
	let used = 0;
	const last = {
		get who() {
			collectGarbage();
			used = process.memoryUsage().heapUsed;
			return 2;
		},
	};
	const record = { deals: [...entries, last] } as IDataObject;
	collectGarbage();
	const before = process.memoryUsage().heapUsed;
	read(record);
	expect(used).toBeGreaterThan(0);
	return used - before;
}

describe('the values at a path', () => {
	test.each<[string, unknown[] | undefined]>([
		['id', [7]],
		['name', [null]],
		['a.b', ['whole']],
		['a.c.d', [1]],
		['a.c', [{ d: 1 }]],
		['tags', ['vip', 'new']],
		['none', []],
		['deals.sum', [1, 2]],
		['deals.by.who', ['x']],
		['deals', [...(LEAD.deals as unknown[])]],
		['nope', undefined],
		['ID', undefined],
		['a.nope', undefined],
		['id.nope', undefined],
		['name.nope', undefined],
		['none.nope', undefined],
		['deals.nope', undefined],
		['tags.0', undefined],
		['text.length', undefined],
		['text.0', undefined],
		['tags.length', undefined],
		['toString', undefined],
		['a.toString', undefined],
		['constructor.name', undefined],
		['__proto__', undefined],
		['a.__proto__', undefined],
		['', undefined],
		['.', undefined],
		['a.', undefined],
		['a..b', undefined],
		['id' + '.id'.repeat(100_000), undefined],
	])('%s', (path, expected) => {
		expect(valuesAt(LEAD, path)).toEqual(expected);
	});

	test('a field of another prototype is not read', () => {
		expect(valuesAt(parsed('{ "__proto__": { "email": "x" } }'), 'email')).toBeUndefined();
	});

	test.each<[string, string, unknown[] | undefined]>([
		['{ "custom": { "utm.source": "x" } }', 'custom.utm.source', ['x']],
		['{ "a.b": { "c": 1 } }', 'a.b.c', [1]],
		['{ "a": [{ "b.c": { "d.e": 1 } }, { "b": { "c": { "d.e": 2 } } }] }', 'a.b.c.d.e', [1, 2]],
		['{ "a": { "b": { "c": 1 } }, "a.b": { "c": 2 } }', 'a.b.c', [2]],
		['{ "a": { "b": { "c": 1 } }, "a.b": { "d": 2 } }', 'a.b.c', [1]],
		['{ "ab": { "c": 1 } }', 'xy.c', undefined],
		['{ "ab": { "c": 1 } }', 'abxc', undefined],
	])('of %s: %s, where a name has a dot', (record, path, expected) => {
		expect(valuesAt(parsed(record), path)).toEqual(expected);
	});

	test('of a million entries take little more memory than one list of them', () => {
		const deals = Array<object>(1_000_000).fill({ who: 1 });
		expect(memoryOf(deals, (record) => valuesAt(record, 'deals.who'))).toBeLessThan(24 * MB);
	});

	test('every path that a record has leads to something', () => {
		fc.assert(
			fc.property(fc.object({ maxDepth: 4, key: fc.stringMatching(/^[a-z.]{1,3}$/) }), (record) => {
				for (const path of pathsIn(record as IDataObject)) expect(valuesAt(record as IDataObject, path)).toBeDefined();
			}),
		);
	});
});

describe('the paths in a record', () => {
	test('are those of all fields, each once, in their order', () => {
		const nested = ['a.b', 'a', 'a.c', 'a.c.d'];
		const inDeals = ['deals', 'deals.sum', 'deals.by', 'deals.by.who'];
		expect(pathsIn(LEAD)).toEqual(['id', 'name', ...nested, 'tags', 'none', ...inDeals, 'text']);
	});

	test('end at the fifth level, and leave out what is too long', () => {
		expect(pathsIn(parsed('{ "a": { "b": { "c": { "d": { "e": { "f": 1 } } } } } }'))).toHaveLength(5);
		expect(pathsIn(parsed('{ "a": [[[[{ "b": 1 }]]]] }'))).toEqual(['a']);
		const [fits, tooLong] = ['k'.repeat(200), 'k'.repeat(201)];
		expect(pathsIn({ [fits]: { inside: 1 }, [tooLong]: { inside: 1 }, b: 1 })).toEqual([fits, 'b']);
		const named = parsed('{ "__proto__": 1, "a": { "constructor": { "b": 1 } } }');
		const paths = ['__proto__', 'a', 'a.constructor', 'a.constructor.b'];
		expect(pathsIn(named)).toEqual(paths);
		expect(paths.map((path) => valuesAt(named, path))).toEqual([[1], [named.a], [{ b: 1 }], [1]]);
	});

	test('of millions of fields are the first 500', () => {
		const inside = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`f${index}`, 1]));
		const paths = pathsIn({ a: inside, b: 1 });
		expect([paths.length, paths[0], paths[499]]).toEqual([500, 'a', 'a.f498']);
	});

	test('of a million entries take no memory', () => {
		expect(memoryOf(Array<number>(1_000_000).fill(1), pathsIn)).toBeLessThan(8 * MB);
	});
});
