import { getEventListeners } from 'node:events';
import { GateClosed, gateFor, RequestGate } from '../../../../nodes/shared/service/requestGate';
import { ManualClock, settle } from '../../../support/manualClock';
import { Work } from '../../../support/work';

const PATIENT = 120_000;

describe('the request gate', () => {
	test('lets a few through at a time, fewer once others may have used the rest of the budget, in order, and all in the end', async () => {
		const gate = new RequestGate(new ManualClock());
		const work = new Work();
		const order: number[] = [];
		const passes = Array.from({ length: 100 }, async (_, index) => {
			await gate.pass('read', async () => (order.push(index), await work.run()), PATIENT);
		});
		await settle();
		expect(work.running).toBe(4);
		while (work.started < 100) {
			await work.end();
			if (work.started !== 31) expect(work.running).toBe(work.started < 31 ? 4 : 2);
		}
		await work.end(2);
		await Promise.all(passes);
		expect(order).toEqual(Array.from({ length: 100 }, (_, index) => index));
		expect(gate.isIdle()).toBe(true);
	});

	test.each([
		['read', 120],
		['write', 60],
	] as const)(
		'is single file around the documented budget of %ss, and wide again once that is passed',
		async (lane, budget) => {
			const clock = new ManualClock();
			const gate = new RequestGate(clock);
			const work = new Work();
			for (let i = 0; i < budget + 20; i++) void gate.pass(lane, work.run, PATIENT);
			await settle();
			const widths: number[] = [];
			while (work.running > 0) {
				widths[work.started] = work.running;
				await work.end();
			}
			const single = [...widths.entries()].filter(([, width]) => width === 1).map(([started]) => started);
			const beforeTheEnd = single.filter((started) => started < budget + 20);
			expect([beforeTheEnd.at(0), beforeTheEnd.at(-1)]).toEqual([budget - 4, budget + 4]);
			expect(Math.max(...widths.slice(budget + 8).filter(Boolean))).toBe(4);
		},
	);

	test('starts counting over a minute later, and after a refusal', async () => {
		const clock = new ManualClock();
		const gate = new RequestGate(clock);
		const work = new Work();
		const send = async (count: number) =>
			await Promise.all(Array.from({ length: count }, async () => await gate.pass('write', settle, PATIENT)));
		await send(50);
		await clock.advance(60_000);
		await send(10);
		for (let i = 0; i < 8; i++) void gate.pass('write', work.run, PATIENT);
		await settle();
		expect(work.running).toBe(4);
		while (work.running > 0) await work.end();
		await send(18);
		gate.close('write', 1_000);
		await clock.advance(1_000);
		await send(1);
		for (let i = 0; i < 8; i++) void gate.pass('write', work.run, PATIENT);
		await settle();
		expect(work.running).toBe(4);
	});

	test('tells each caller how long a spent budget held it back, without the wait for its turn', async () => {
		const clock = new ManualClock();
		const gate = new RequestGate(clock);
		const held: number[] = [];
		const note = async (ms: number) => void held.push(ms);
		await gate.pass('read', note, PATIENT);
		gate.close('read', 60_000);
		const passes = [gate.pass('read', note, PATIENT)];
		await clock.advance(20_000);
		passes.push(gate.pass('read', note, PATIENT));
		await clock.advance(40_000);
		await Promise.all(passes);
		expect(held).toEqual([0, 60_000, 40_000]);
	});

	test('holds everyone back until the named time when it is closed', async () => {
		const clock = new ManualClock();
		const gate = new RequestGate(clock);
		gate.close('read', 60_000);
		const work = new Work();
		void gate.pass('read', work.run, PATIENT);
		void gate.pass('read', work.run, PATIENT);
		await settle();
		await clock.advance(59_999);
		expect(work.started).toBe(0);
		await clock.advance(1);
		expect(work.started).toBeGreaterThan(0);
	});

	test.each([-3_600_000, 3_600_000])(
		"opens at that time too when the machine's clock is set by %i ms",
		async (byMs) => {
			const clock = new ManualClock();
			const gate = new RequestGate(clock);
			gate.close('read', 60_000);
			clock.set(byMs);
			await expect(gate.pass('read', async () => 'through', 0)).rejects.toMatchObject({ waitMs: 60_000 });
			const through = gate.pass('read', async (heldMs) => heldMs, 60_000);
			await clock.advance(60_000);
			await expect(through).resolves.toBe(60_000);
		},
	);

	test('closing one lane leaves the other open', async () => {
		const gate = new RequestGate(new ManualClock());
		gate.close('write', 60_000);
		await expect(gate.pass('read', async () => 'through', PATIENT)).resolves.toBe('through');
	});

	test('is single file after a refusal while anyone waits, and open again afterwards', async () => {
		const clock = new ManualClock();
		const gate = new RequestGate(clock);
		const work = new Work();
		gate.close('read', 1_000);
		for (let i = 0; i < 10; i++) void gate.pass('read', work.run, PATIENT);
		await clock.advance(1_000);
		for (let done = 0; done < 10; done++) {
			expect(work.running).toBe(1);
			await work.end();
		}
		expect(gate.isIdle()).toBe(true);
		for (let i = 0; i < 10; i++) void gate.pass('read', work.run, PATIENT);
		await settle();
		expect(work.running).toBe(4);
	});

	test('throws at once when it is closed for longer than a caller may wait, and lets the others wait', async () => {
		const clock = new ManualClock();
		const gate = new RequestGate(clock);
		gate.close('read', 60_000);
		const refused = gate.pass('read', async () => 'through', 59_999);
		await expect(refused).rejects.toBeInstanceOf(GateClosed);
		await expect(refused).rejects.toMatchObject({ waitMs: 60_000, message: 'the request gate is closed' });
		const patient = gate.pass('read', async () => 'through', 60_000);
		await clock.advance(60_000);
		await expect(patient).resolves.toBe('through');
	});

	test('opens after a quarter of an hour, also when the named time is further away', async () => {
		const clock = new ManualClock();
		const gate = new RequestGate(clock);
		gate.close('read', 12 * 3_600_000);
		await clock.advance(15 * 60_000);
		await expect(gate.pass('read', async () => 'through', PATIENT)).resolves.toBe('through');
	});

	test('a shorter time that is named later neither opens it sooner nor shortens the wait that it throws', async () => {
		const clock = new ManualClock();
		const gate = new RequestGate(clock);
		gate.close('read', 60_000);
		gate.close('read', 1_000);
		await clock.advance(1_000);
		await expect(gate.pass('read', async () => 'through', 0)).rejects.toMatchObject({ waitMs: 59_000 });
	});

	test('forgets a far time once it has opened', async () => {
		const clock = new ManualClock();
		const gate = new RequestGate(clock);
		gate.close('read', 12 * 3_600_000);
		await expect(gate.pass('read', async () => 'through', 3_600_000)).rejects.toMatchObject({ waitMs: 12 * 3_600_000 });
		await clock.advance(15 * 60_000);
		gate.close('read', 60_000);
		const through = gate.pass('read', async () => 'through', 60_000);
		await clock.advance(60_000);
		await expect(through).resolves.toBe('through');
	});

	test('thousands of turns leave nothing on the signal', async () => {
		const gate = new RequestGate(new ManualClock());
		const { signal } = new AbortController();
		await Promise.all(Array.from({ length: 5_000 }, async () => await gate.pass('read', settle, PATIENT, signal)));
		expect(getEventListeners(signal, 'abort')).toHaveLength(0);
	});

	test('one that gave up its turn takes none from those before it', async () => {
		const gate = new RequestGate(new ManualClock());
		const work = new Work();
		const stop = new AbortController();
		for (let i = 0; i < 4; i++) void gate.pass('read', work.run, PATIENT);
		const before = jest.fn();
		void gate.pass('read', async () => before(), PATIENT);
		void gate.pass('read', async () => {}, PATIENT, stop.signal);
		await settle();
		stop.abort();
		await settle();
		expect(before).not.toHaveBeenCalled();
		await work.end();
		expect(before).toHaveBeenCalledTimes(1);
	});

	test('work that fails gives its place to the next', async () => {
		const gate = new RequestGate(new ManualClock());
		const failing = Array.from(
			{ length: 10 },
			async () => await gate.pass('read', async () => await Promise.reject(new Error('broken')), PATIENT),
		);
		expect((await Promise.allSettled(failing)).every(({ status }) => status === 'rejected')).toBe(true);
		await expect(gate.pass('read', async () => 'through', PATIENT)).resolves.toBe('through');
	});

	test('an abort ends the wait at once, for the budget and for a turn, and costs nobody a turn', async () => {
		const gate = new RequestGate(new ManualClock());
		const work = new Work();
		const stop = new AbortController();
		for (let i = 0; i < 4; i++) void gate.pass('read', work.run, PATIENT);
		const aborted = jest.fn();
		const last = jest.fn();
		void gate.pass('read', async () => aborted(), PATIENT, stop.signal);
		void gate.pass('read', async () => last(), PATIENT);
		await settle();
		stop.abort();
		await settle();
		expect(aborted).toHaveBeenCalledTimes(1); // it is the work that then sends nothing
		expect(last).not.toHaveBeenCalled();
		await work.end();
		expect(last).toHaveBeenCalledTimes(1);

		gate.close('write', 60_000);
		const closed = jest.fn();
		const stopped = new AbortController();
		void gate.pass('write', async () => closed(), PATIENT, stopped.signal);
		await settle();
		expect(closed).not.toHaveBeenCalled();
		stopped.abort();
		await settle();
		expect(closed).toHaveBeenCalledTimes(1);
	});

	test('callers that gave up count neither as sent nor as in flight', async () => {
		const clock = new ManualClock();
		const gate = new RequestGate(clock);
		const work = new Work();
		const giveUp = async (count: number) => {
			const stop = new AbortController();
			const waiting = Array.from({ length: count }, async () => await gate.pass('write', settle, PATIENT, stop.signal));
			stop.abort();
			await Promise.all(waiting);
		};
		// Not as sent: 60 writes sent would make the rest single file.
		await giveUp(60);
		for (let i = 0; i < 4; i++) void gate.pass('write', work.run, PATIENT);
		await settle();
		expect(work.running).toBe(4);
		// Nor as in flight, while others are: the next one still waits for a place.
		await giveUp(200);
		void gate.pass('write', work.run, PATIENT);
		await settle();
		expect(work.running).toBe(4);
		await work.end();
		expect(work.running).toBe(4);
		await work.end(4);
	});
});

describe('a request gate that leaves a part of the window to other processes', () => {
	/** A write lane that had 20 of the last minute, and has had the 18 of this one that it takes before it probes or not. */
	async function yieldingLane(dice: number) {
		const clock = new ManualClock(undefined, () => dice);
		const gate = new RequestGate(clock);
		const send = async (count: number) => {
			for (let sent = 0; sent < count; sent++) await gate.pass('write', settle, PATIENT);
		};
		await send(20);
		await gate.pass('write', async () => gate.close('write', 60_000), PATIENT);
		await clock.advance(60_000);
		await send(18);
		const held: number[] = [];
		const pass = (maxWaitMs = PATIENT, signal?: AbortSignal) =>
			void gate.pass('write', async (heldMs) => void held.push(heldMs), maxWaitMs, signal);
		return { clock, gate, pass, held };
	}

	test.each([
		['the middle of the window, where it probes', 0.59, 30_000],
		['the next window, where it does not', 0.61, 60_000],
	])('holds everyone back until %s, and says so', async (_, dice, ms) => {
		const { clock, pass, held } = await yieldingLane(dice);
		pass();
		pass();
		await clock.advance(10_000);
		pass();
		await clock.advance(ms - 10_001);
		expect(held).toEqual([]);
		await clock.advance(1);
		expect(held).toEqual([ms, ms, ms - 10_000]);
	});

	test('holds nobody longer than they may wait, as the service has refused nothing, and goes on to hold the others', async () => {
		const { clock, pass, held } = await yieldingLane(0.59);
		pass();
		pass(29_999);
		await settle();
		expect(held).toEqual([0]);
		pass(30_000);
		await clock.advance(29_999);
		expect(held).toEqual([0]);
		await clock.advance(1);
		expect(held).toEqual([0, 30_000, 30_000]);
	});

	test('does not count those who gave up', async () => {
		const clock = new ManualClock(undefined, () => 0.99);
		const gate = new RequestGate(clock);
		for (let sent = 0; sent < 20; sent++) await gate.pass('write', settle, PATIENT);
		await gate.pass('write', async () => gate.close('write', 60_000), PATIENT);
		await clock.advance(60_000);
		for (let count = 0; count < 200; count++) await gate.pass('write', settle, PATIENT, AbortSignal.abort());
		let sent = 0;
		for (let count = 0; count < 30; count++) void gate.pass('write', async () => void sent++, PATIENT);
		for (let count = 0; count < 30; count++) await settle();
		expect(sent).toBe(18);
	});
});

describe('those who wait for a turn when the lane closes', () => {
	test('are told at once when they may not wait that long, and how long they were held when they may', async () => {
		const clock = new ManualClock();
		const gate = new RequestGate(clock);
		const work = new Work();
		for (let i = 0; i < 4; i++) void gate.pass('read', work.run, PATIENT);
		const held: number[] = [];
		const note = async (heldMs: number) => void held.push(heldMs);
		void gate.pass('read', note, PATIENT);
		const impatient = gate.pass('read', note, 10_000).catch((problem: unknown) => problem);
		void gate.pass('read', note, PATIENT);
		await settle();
		gate.close('read', 60_000);
		await work.end();
		await expect(Promise.race([impatient, settle()])).resolves.toBeInstanceOf(GateClosed);
		await work.end(3);
		await clock.advance(60_000);
		expect(held).toEqual([60_000, 60_000]);
	});
});

describe('gates by budget', () => {
	test('one budget shares a gate; an idle gate is forgotten, a closed one is not', async () => {
		const clock = new ManualClock();
		const gate = gateFor('one', clock);
		expect(gateFor('one', clock)).toBe(gate);
		gate.close('read', 1_000);
		gateFor('another', clock);
		expect(gateFor('one', clock)).toBe(gate);
		await clock.advance(1_000);
		gateFor('another', clock);
		expect(gateFor('one', clock)).not.toBe(gate);
	});

	test.each(['read', 'write'] as const)('a gate with a %s in flight is not forgotten', async (lane) => {
		const clock = new ManualClock();
		const gate = gateFor('busy', clock);
		const work = new Work();
		void gate.pass(lane, work.run, PATIENT);
		await settle();
		gateFor('another', clock);
		expect(gateFor('busy', clock)).toBe(gate);
		await work.end();
		gateFor('another', clock);
		expect(gateFor('busy', clock)).not.toBe(gate);
	});
});
