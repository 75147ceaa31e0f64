import { NodeOperationError } from 'n8n-workflow';
import type { Call, Outcome } from '../../../../../nodes/shared/service/call';
import type { Situation } from '../../../../../nodes/shared/service/context';
import { isOpenIn, leavesOpen, mayHaveBeenMade, noteChange } from '../../../../../nodes/shared/service/errors/open';

const read: Call = { method: 'GET', path: '/v1/leads/', purpose: 'list leads', needs: 'the scope leads:read' };
const write: Call = { ...read, method: 'POST', purpose: 'make a change', idempotencyKey: 'the-key' };

const responseOf = (status: number): Outcome => ({ kind: 'response', status, headers: {}, body: undefined });

test.each<[string, Outcome, boolean]>([
	['399', responseOf(399), true],
	['400', responseOf(400), false],
	['403', responseOf(403), false],
	['408', responseOf(408), true],
	['409', responseOf(409), true],
	['429', responseOf(429), false],
	['499', responseOf(499), false],
	['500', responseOf(500), true],
	['200', responseOf(200), true],
	['no response', { kind: 'failure', code: 'ECONNRESET', detail: '' }, true],
	['nothing was sent', { kind: 'unsent', thrown: new Error() }, false],
])('whether a write is open after %s', (_what, outcome, expected) => {
	expect(leavesOpen(write, outcome)).toBe(expected);
	expect(leavesOpen(read, outcome)).toBe(false);
});

test.each([
	[true, undefined, true],
	[true, false, true],
	[true, null, true],
	[true, true, true],
	[false, undefined, false],
	[false, false, false],
	[false, null, null],
	[false, true, true],
])(
	'an error of a write that is open (%s) and may have been made before (%s) notes both',
	(isOpen, before, expected) => {
		const call = { ...write, ...(before !== undefined && { mayHaveBeenMade: before }) };
		const situation = { call, isOpen } as Situation;
		const error = new NodeOperationError({ name: 'Node', type: 'node' } as never, 'failed');
		noteChange(error, situation);
		expect(mayHaveBeenMade(situation)).toBe(expected);
		expect(error.context).toMatchObject({ mayHaveBeenMade: expected, isOpen });
		expect(isOpenIn(error)).toBe(isOpen);
	},
);

test.each([undefined, null, 'text', new Error()])('%p does not say that a write is not open', (thrown) => {
	expect(isOpenIn(thrown)).toBe(true);
});
