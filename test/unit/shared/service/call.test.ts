import type { Call } from '../../../../nodes/shared/service/call.ts';
import { isSuccess, isWrite } from '../../../../nodes/shared/service/call.ts';
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

test('an outcome without a response is none', () => {
	expect(isSuccess(noResponseOf(''))).toBe(false);
	expect(isSuccess({ kind: 'unsent' })).toBe(false);
});
