import type { IPollFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { Endless, NoPage, Stalled } from '../../../../../nodes/shared/trigger/core/failures';
import { errorOf, stateError } from '../../../../../nodes/shared/trigger/host/pollErrors';

const functions = { getNode: () => ({ name: 'Transactions', type: 't' }) } as unknown as IPollFunctions;

test.each([
	[new Endless('transactions'), 'this trigger needs another cursor for each page'],
	[new Stalled({ inVain: 5, furthest: 2 }), 'raise "Maximum Wait" under Options'],
])('n8n gets what a user can do about: %s', (failure, advice) => {
	const error = errorOf(functions, failure);
	expect(error).toBeInstanceOf(NodeApiError);
	expect(error).toMatchObject({ message: failure.message, description: expect.stringContaining(advice) });
});

test('n8n gets the failure itself of one that passes, and any other as it is', () => {
	const [cause, other] = [new Error('an outage'), new Error('a wrong key')];
	expect(errorOf(functions, new NoPage('passing', 'an outage', cause))).toBe(cause);
	expect(errorOf(functions, other)).toBe(other);
});

test('a saved state that cannot be used says why, and how to start over', () => {
	const error = stateError(functions, 'its version is 2, not 1', { whereItWas: 'the last date' });
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error.message).toBe('The saved state of this trigger cannot be used: its version is 2, not 1');
	expect(error.description).toMatch(/^Nothing was changed\. .* set "Start From" of the copy to the last date\.$/);
});
