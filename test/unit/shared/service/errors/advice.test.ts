import type { INode } from 'n8n-workflow';
import type { Call } from '../../../../../nodes/shared/service/call.ts';
import type { Change } from '../../../../../nodes/shared/service/change.ts';
import type { Situation } from '../../../../../nodes/shared/service/context.ts';
import { aboutChange, howToRetry } from '../../../../../nodes/shared/service/errors/advice.ts';
import { changeOf, situationOf } from '../../../../support/scripted/situation.ts';

test.each([
	[true, false, true],
	[true, null, true],
	[true, true, true],
	[false, false, false],
	[false, null, null],
	[false, true, true],
])('an error says of a write that is open (%s), and may have been made before (%s): %s', (isOpen, before, expected) => {
	const warning = expected === true ? 'The change may have been made anyway.' : '';
	const context = { idempotencyKey: 'the-key', mayHaveBeenMade: expected };
	const about = aboutChange(changeOf({ isOpen, wasOpen: before }));
	expect(about).toEqual({ warning, key: 'Idempotency Key: the-key', context });
});

test('it says nothing of the kind of a read', () => {
	expect(aboutChange(undefined)).toEqual({ warning: '', key: '', context: {} });
});

describe('how to try again', () => {
	const read: Call = { method: 'GET', path: '/v1/leads/', purpose: 'list leads', needs: '' };
	const TOOL = { type: 'n8n-nodes-lead-revenue.tagLeadTool' } as INode;
	const continuing = (continues: boolean) => ({ functions: { continueOnFail: () => continues } as never });

	const NEW_WOULD_REPEAT = 'retry this execution (a new one would repeat the changes that were made)';
	const WITH_KEY =
		'send this item again with its idempotencyKey as "Idempotency Key" under Options (without it the change could be made twice)';
	const FIND_OUT =
		'find out whether the change was made before you call this tool again: another call is another change';

	test.each<[string, Partial<Situation>, string, string, string]>([
		['the agent of a tool', { node: TOOL, ...continuing(true) }, 'try again', 'call this tool again', FIND_OUT],
		['the next node, with Continue', continuing(true), 'run the node again', 'send this item again', WITH_KEY],
		['the person at a failed execution', continuing(false), 'run the node again', NEW_WOULD_REPEAT, NEW_WOULD_REPEAT],
	])('is told to %s', (_who, about, ofRead, ofRejected, ofOpen) => {
		const told = (change?: Change) => howToRetry(situationOf({ ...read, ...(change && { change }) }, about));
		expect([told(), told(changeOf()), told(changeOf({ wasOpen: null }))]).toEqual([ofRead, ofRejected, ofRejected]);
		expect([told(changeOf({ isOpen: true })), told(changeOf({ wasOpen: true }))]).toEqual([ofOpen, ofOpen]);
	});

	// A production execution is not run from a node, and a new one would make again what its other nodes have written.
	test.each([
		['manual', false, 'run the node again'],
		['webhook', false, 'retry this execution'],
		['retry', false, 'retry this execution'],
		['webhook', true, 'run the node again'],
	])('a read of the mode %s, which continues on errors (%s): %s', (mode, continues, expected) => {
		const functions = { getMode: () => mode, continueOnFail: () => continues } as never;
		expect(howToRetry(situationOf(read, { functions }))).toBe(expected);
	});

	// The execution of the parent has this error too, and its retry would start the sub-workflow anew.
	test('in a sub-workflow: its own execution is retried, not the one that called it', () => {
		const functions = { getMode: () => 'integrated' } as never;
		const advice = 'retry the execution of this sub-workflow, not the one that called it';
		const ofWrite = `${advice} (a new one would repeat the changes that were made)`;
		expect(howToRetry(situationOf({ ...read, change: changeOf() }, { functions }))).toBe(ofWrite);
		expect(howToRetry(situationOf(read, { functions }))).toBe(advice);
	});

	test('in a list of the editor, where running Tag Lead would change data', () => {
		const functions = { getCurrentNodeParameter: () => {} } as never;
		expect(howToRetry(situationOf(read, { functions }))).toBe('open this list again');
	});

	test.each([
		['trigger', 'let the next poll try again'],
		['manual', 'run the node again'],
	])('in a poll of the mode %s: %s', (mode, expected) => {
		const functions = { __emit: () => {}, getMode: () => mode } as never;
		expect(howToRetry(situationOf(read, { functions }))).toBe(expected);
	});
});
