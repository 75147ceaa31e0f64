import type { Call } from '../../../../nodes/shared/service/call';
import { requestContext } from '../../../../nodes/shared/service/context';
import { write } from '../../../../nodes/shared/change/receipt';
import { ManualClock } from '../../../support/scripted/clock';
import type { Scripted } from '../../../support/scripted/wire';
import { connectionOf, ScriptedWire } from '../../../support/scripted/wire';

const call: Call & { idempotencyKey: string } = {
	method: 'POST',
	path: '/v1/x/',
	purpose: 'make a change',
	needs: '',
	idempotencyKey: 'the-key',
};
const RECEIPT = { idempotencyKey: 'the-key', replayed: true, requestId: 'r' };

async function written(body: unknown) {
	const scripted: Scripted = { body, headers: { 'X-Request-ID': 'r', 'Idempotent-Replay': 'true' } };
	const wire = new ScriptedWire([scripted]);
	const retry = { maxAttempts: 1, maxWaitMs: 0, timeoutMs: 1_000 };
	return await write(
		requestContext(wire.functions, connectionOf('writes'), retry, 0, { clock: new ManualClock() }),
		call,
	);
}

test.each<[string, unknown, object]>([
	['an object comes with the receipt', { id: 7, is_active: false }, { id: 7, is_active: false }],
	['no body is no field', '', {}],
	['null is no field', 'null', {}],
	['a list comes under "answer"', [{ id: 7 }], { answer: [{ id: 7 }] }],
	['a text comes under "answer"', '"done"', { answer: 'done' }],
	['false comes under "answer"', 'false', { answer: false }],
	[
		'what n8n would take for a failed run comes under "answer"',
		{ error: null, id: 7 },
		{ answer: { error: null, id: 7 } },
	],
])('%s', async (_what, body, fields) => {
	expect(await written(body)).toStrictEqual({ ...fields, ...RECEIPT });
});

test('the service does not get to say what the key was', async () => {
	expect(await written({ idempotencyKey: 'another', replayed: 'no', requestId: 1 })).toEqual(RECEIPT);
});
