import type { Call } from '../../../nodes/shared/service/call.ts';
import type { Change } from '../../../nodes/shared/service/change.ts';
import type { Situation } from '../../../nodes/shared/service/context.ts';
import { ManualClock } from './clock.ts';
import { connectionOf } from './wire.ts';

/** Returns a change that nothing has sent yet, unless told otherwise. */
export function changeOf(about: Partial<Change> = {}): Change {
	return { key: 'the-key', wasOpen: false, isOpen: false, ...about };
}

/** Returns where a request with this call stands after its first attempt, in a node whose errors a person handles. */
export function situationOf(call: Call, about: Partial<Situation> = {}): Situation {
	return {
		functions: {} as never,
		node: { name: 'Node', type: 'node', parameters: {} } as never,
		itemIndex: 3,
		connection: connectionOf('one'),
		retry: { maxAttempts: 5, maxWaitMs: 0, timeoutMs: 0 },
		clock: new ManualClock(0),
		cancellation: undefined,
		signal: undefined,
		call,
		begunAt: 0,
		attempts: 1,
		moves: 1,
		...about,
	};
}
