import { NoPage } from '../../../../../nodes/shared/trigger/core/failures.ts';
import { reasonOf, stoppedWarning, tellStartOver } from '../../../../../nodes/shared/trigger/core/log.ts';
import { NO_LOG } from '../../../../support/scripted/pages.ts';

test('a walk that starts over is in the log', () => {
	const lines: string[] = [];
	const log = { ...NO_LOG, warn: (message: string) => lines.push(message) };
	tellStartOver({ cursorRejected: false }, log);
	expect(lines).toEqual([]);
	tellStartOver({ cursorRejected: true }, log);
	expect(lines).toEqual(['The service no longer accepts the cursor of the sweep under way: the sweep starts over']);
});

test('a failure is told by its message; n8n may throw something else', () => {
	expect([reasonOf(new NoPage('lasting', 'wrong key')), reasonOf('a text')]).toEqual(['wrong key', 'a text']);
	expect(stoppedWarning(new Error('an outage'))).toBe(
		'The list could not be read to its end; the next poll tries again. Reason: an outage',
	);
});
