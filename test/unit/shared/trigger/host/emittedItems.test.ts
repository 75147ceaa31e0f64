import { itemsOf } from '../../../../../nodes/shared/trigger/host/emittedItems.ts';

describe('items', () => {
	const record = { id: 't', net: 1, error: 'e' };

	test('have the fields of the record, under their names in items', () => {
		expect(itemsOf([{ record, event: 'new' }], false)).toEqual([{ json: { id: 't', net: 1, error_: 'e' } }]);
	});

	test('say what changed by the names that the fields have in the item', () => {
		const json = { id: 't', net: 1, error_: 'e', event: 'updated', changedFields: ['net', 'error_'] };
		expect(itemsOf([{ record, event: 'updated', changedFields: ['net', 'error'] }], true)).toEqual([{ json }]);
	});
});
