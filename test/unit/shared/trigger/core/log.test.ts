import { NoPage } from '../../../../../nodes/shared/trigger/core/failures.ts';
import {
	reasonOf,
	stoppedWarning,
	tellEnd,
	tellReading,
	tellStartOver,
} from '../../../../../nodes/shared/trigger/core/log.ts';
import { NO_LOG } from '../../../../support/scripted/pages.ts';
import { pollWith, service, SETTINGS, STATE, sweepFrom, sweepingWith } from '../../../../support/scripted/ports.ts';

test('a sweep is in the log with what it reads, and what it leaves', () => {
	const lines: string[] = [];
	const log = { ...NO_LOG, debug: (message: string) => lines.push(message) };
	tellReading(sweepingWith(sweepFrom(0)), 1, log);
	tellReading(sweepingWith(sweepFrom(0, { isLast: true })), 1, log);
	tellEnd({ ...STATE, watermark: null }, 2, log);
	tellEnd({ ...STATE, watermark: 0 }, 2, log);
	const reads = 'of all updated since 1970-01-01T00:00:00.000Z; an unknown record from before 1970-01-02T00:00:00.000Z';
	const leaves = 'the sweep is complete: 2 records emitted in this poll; the watermark is';
	expect(lines).toEqual([
		`reading 1 of 3 ${reads} is not new`,
		`last reading ${reads} is not new`,
		`${leaves} not set yet`,
		`${leaves} 1970-01-01T00:00:00.000Z`,
	]);
});

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

test('the log says what a poll reads, and how it ends', async () => {
	const { ports } = service({ nextCursor: 'a' }, {});
	const lines: string[] = [];
	const slow = { ...ports, hasTime: () => false, log: { ...ports.log, debug: (line: string) => lines.push(line) } };
	const { state } = await pollWith(STATE, SETTINGS, slow);
	await pollWith(state, SETTINGS, slow);
	const said = ['reading 1 of 3', 'because no time is left', 'reading 1 of 3', 'the sweep is complete: 0 records'];
	expect(lines).toEqual(said.map((part) => expect.stringContaining(part)));
});
