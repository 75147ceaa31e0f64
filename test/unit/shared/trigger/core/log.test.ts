import { stoppedWarning, tellStartOver } from '../../../../../nodes/shared/trigger/core/log.ts';
import { NO_LOG } from '../../../../support/scripted/pages.ts';
import { pollWith, service, SETTINGS, STATE } from '../../../../support/scripted/ports.ts';

test('a walk that starts over is in the log', () => {
	const lines: string[] = [];
	const log = { ...NO_LOG, warn: (message: string) => lines.push(message) };
	for (const setback of [undefined, 'went back'] as const) tellStartOver({ setback }, 'the sweep under way', log);
	expect(lines).toEqual([]);
	tellStartOver({ setback: 'started over' }, 'the sweep under way', log);
	expect(lines).toEqual(['The service no longer accepts the cursor of the sweep under way: it starts over']);
});

test('a failure is told by its message', () => {
	const told = 'The list could not be read to its end; the next poll tries again. Reason: an outage';
	expect(stoppedWarning(new Error('an outage'))).toBe(told);
});

test('the log says what a poll reads, and how it ends', async () => {
	const { ports } = service({ nextCursor: 'a' }, {}, {});
	const lines: string[] = [];
	const slow = { ...ports, hasTime: () => false, log: { ...ports.log, debug: (line: string) => lines.push(line) } };
	const { state } = await pollWith(STATE, SETTINGS, slow);
	await pollWith(state, SETTINGS, slow);
	await pollWith({ ...STATE, watermark: null }, SETTINGS, slow);
	const reads = (since: string) =>
		`reading 1 of 3 of all updated since ${since}; an unknown record from before 1970-01-01T00:00:00.000Z is not new`;
	const ends = 'the sweep is complete: 0 records emitted in this poll; the watermark is';
	expect(lines).toEqual([
		reads('2026-01-20T11:55:00.000Z'),
		'the poll ends before the last page, because no time is left; the next one continues',
		...[reads('2026-01-20T11:55:00.000Z'), `${ends} 2026-01-20T12:00:00.000Z`],
		...[reads('1970-01-01T00:00:00.000Z'), `${ends} not set yet`],
	]);
});
