import type { Call } from '../../../../nodes/shared/service/call.ts';
import { isSuccess, isWrite, lackingIn } from '../../../../nodes/shared/service/call.ts';
import { noResponseOf, responseOf } from '../../../support/scripted/outcomes.ts';
import { changeOf } from '../../../support/scripted/situation.ts';

test('a write is what has a change', () => {
	const call: Call = { method: 'GET', path: '/', purpose: '', needs: '' };
	expect([isWrite(call), isWrite({ ...call, change: changeOf() })]).toEqual([false, true]);
});

test.each([
	[199, false],
	[200, true],
	[299, true],
	[300, false],
])('a response with status %i is a success: %j', (status, expected) => {
	expect(isSuccess(responseOf(status, { unusable: 'was cut off or not JSON' }))).toBe(expected);
});

describe('a response that must have an "id"', () => {
	const lacking = (body: unknown) =>
		lackingIn({ method: 'POST', path: '/', purpose: '', needs: '', mustReturn: ['id'] }, responseOf(200, { body }));

	test.each([{ id: 'a1' }, { id: 7 }, { id: 0, error: null }])('has it: %j', (body) => {
		expect(lacking(body)).toBeUndefined();
	});

	test.each([undefined, null, '', 'id', [], [{ id: 'a1' }], {}, { login: 'there' }, { error: { message: 'm' } }])(
		'lacks it: %j',
		(body) => {
			expect(lacking(body)).toBe('id');
		},
	);

	test.each(['', null, true, {}, ['a1']])('lacks it as %j', (id) => {
		expect(lacking({ id })).toBe('id');
	});

	test('may be anything where nothing is documented', () => {
		expect(lackingIn({ method: 'POST', path: '/', purpose: '', needs: '' }, responseOf(200))).toBeUndefined();
	});
});

test('an outcome without a response is none', () => {
	expect([isSuccess(noResponseOf('')), isSuccess({ kind: 'unsent' })]).toEqual([false, false]);
});
