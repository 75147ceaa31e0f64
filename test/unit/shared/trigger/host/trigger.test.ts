import type { IPollFunctions } from 'n8n-workflow';
import { thisProcess, Trigger, triggerAt, triggerOf } from '../../../../../nodes/shared/trigger/host/trigger';

const functionsOf = (workflow: string | undefined, node: string) =>
	({ getWorkflow: () => ({ id: workflow }), getNode: () => ({ id: node }) }) as unknown as IPollFunctions;
const source = { stateKey: 'ours:' };

test('a trigger is that of a workflow and a node, also before the workflow is saved', () => {
	const own = triggerOf(functionsOf('1', '11'), source);
	expect(triggerOf(functionsOf('1', '11'), source)).toBe(own);
	expect(triggerAt(functionsOf('1', 'another'), 'ours:11')).toBe(own);
	expect(own.key).toBe('ours:11');
	for (const [workflow, node] of [
		['11', '1'],
		['1', '1'],
		['', '11'],
	] as const)
		expect(triggerOf(functionsOf(workflow, node), source)).not.toBe(own);
	expect(triggerOf(functionsOf(undefined, '11'), source)).toBe(triggerOf(functionsOf('', '11'), source));
});

test('one poll at a time claims a trigger; that of an activation takes over, and only the last one releases it', () => {
	const trigger = new Trigger('key');
	const [first, second, third] = [functionsOf('1', '1'), functionsOf('1', '1'), functionsOf('1', '1')];
	expect([trigger.claim(first, false), trigger.claim(second, false)]).toEqual([true, false]);
	expect(trigger.isClaimedBy(first)).toBe(true);
	expect(trigger.claim(second, true)).toBe(true);
	expect([trigger.isClaimedBy(first), trigger.isClaimedBy(second)]).toEqual([false, true]);
	trigger.release(first);
	expect(trigger.claim(third, false)).toBe(false);
	trigger.release(second);
	expect(trigger.claim(third, false)).toBe(true);
});

test('the executions of one identity are apart from those of another', () => {
	const trigger = new Trigger('key');
	expect(trigger.executions('A')).toBe(trigger.executions('A'));
	expect(trigger.executions('B')).not.toBe(trigger.executions('A'));
});

test('the process has a name that no other has', () => {
	expect(thisProcess.name).toMatch(/^[\da-f-]{36}$/);
});
