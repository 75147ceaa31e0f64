import { getEventListeners } from 'node:events';
import { GateClosed, gateFor, RequestGate } from '../../nodes/shared/service/requestGate';
import { ManualClock, settle } from '../support/manualClock';

const PATIENT = 120_000;

/** Work that ends when told to. */
class Work {
	running = 0;
	started = 0;
	readonly finish: Array<() => void> = [];

	readonly run = async () => {
		this.running++;
		this.started++;
		await new Promise<void>((resolve) => this.finish.push(resolve));
		this.running--;
	};

	async end(count = 1): Promise<void> {
		for (const finish of this.finish.splice(0, count)) finish();
		await settle();
	}
}

describe('the request gate', () => {
	test('lets a few through at a time, fewer once others could have had the rest of the budget, in order, and all in the end', async () => {
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
	] as const)('is single file around the documented budget of %ss, and wide again once that is passed', async (lane, budget) => {
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
	});

	test('counts anew a minute later, and after a refusal', async () => {
		const clock = new ManualClock();
		const gate = new RequestGate(clock);
		const work = new Work();
		const send = async (count: number) => await Promise.all(Array.from({ length: count }, async () => await gate.pass('write', settle, PATIENT)));
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

	describe('that had a share of the last window', () => {
		const SHARE = 20;

		/** A write lane that got 20 through in a window of a minute before it was refused, and has had a little less of the next. */
		async function withShare(dice: number) {
			const clock = new ManualClock(undefined, () => dice);
			const gate = new RequestGate(clock);
			const send = async (count: number, maxWaitMs = PATIENT) => {
				for (let i = 0; i < count; i++) await gate.pass('write', settle, maxWaitMs);
			};
			await send(SHARE);
			await gate.pass('write', async () => gate.close('write', 60_000), PATIENT);
			await clock.advance(60_000);
			await send(SHARE * 0.9);
			const sent = jest.fn();
			void gate.pass('write', async () => sent(), PATIENT);
			await settle();
			return { clock, send, sent };
		}

		test('leaves a little of it to others, and asks for more in the middle of the window', async () => {
			const { clock, sent } = await withShare(0.59);
			await clock.advance(29_999);
			expect(sent).not.toHaveBeenCalled();
			await clock.advance(1);
			expect(sent).toHaveBeenCalledTimes(1);
		});

		test('asks three times in five, as it takes three tenths of the budget; else it begins again with the next window', async () => {
			const { clock, sent } = await withShare(0.61);
			await clock.advance(59_999);
			expect(sent).not.toHaveBeenCalled();
			await clock.advance(1);
			expect(sent).toHaveBeenCalledTimes(1);
		});

		test('holds nobody longer than they may wait, as the service has not refused anything', async () => {
			const { send } = await withShare(0.59);
			await expect(send(1, 1_000)).resolves.toBeUndefined();
		});
	});

	describe('learns its share of a window', () => {
		/** A write lane, its budget 60 a minute; chance is against asking for more. */
		function lane() {
			const clock = new ManualClock(undefined, () => 0.99);
			const gate = new RequestGate(clock);
			/** How many of `count` requests, one after the other, get through without time passing. */
			const through = async (count: number, maxWaitMs = PATIENT) => {
				let done = 0;
				void (async () => {
					while (done < count) await gate.pass('write', async () => void done++, maxWaitMs);
				})();
				for (let i = 0; i < count; i++) await settle();
				return done;
			};
			const refused = async (waitMs: number) => {
				await gate.pass('write', async () => gate.close('write', waitMs), PATIENT);
				await clock.advance(waitMs);
			};
			return { clock, gate, through, refused };
		}

		test.each([
			[60_000, 18],
			[61_000, 18],
			[61_001, 30],
		])('from a refusal that names a minute, not from a longer one: %i ms', async (waitMs, expected) => {
			const { through, refused } = lane();
			await through(20);
			await refused(waitMs);
			expect(await through(30)).toBe(expected);
		});

		test('and not from a window in which nothing got through', async () => {
			const { through, refused } = lane();
			await through(20);
			await refused(60_000);
			await refused(60_000);
			expect(await through(30)).toBe(18);
		});

		test('and forgets it when a window was not used up', async () => {
			const { clock, through, refused } = lane();
			await through(20);
			await refused(60_000);
			await through(5);
			await clock.advance(60_000);
			expect(await through(30)).toBe(30);
		});

		test('and takes a tenth of the budget at least, in every window', async () => {
			const { clock, through, refused } = lane();
			await through(2);
			await refused(60_000);
			expect(await through(10)).toBe(6);
			await clock.advance(60_000);
			expect(await through(0)).toBe(0);
		});

		test('which is no limit any more once somebody could not wait', async () => {
			const { through, refused } = lane();
			await through(20);
			await refused(60_000);
			expect(await through(18)).toBe(18);
			expect(await through(1, 1_000)).toBe(1);
			expect(await through(10)).toBe(10);
		});

		test('and is single file near it', async () => {
			const { gate, through, refused } = lane();
			await through(20);
			await refused(60_000);
			await through(1);
			const work = new Work();
			for (let i = 0; i < 30; i++) void gate.pass('write', work.run, PATIENT);
			await settle();
			const most: number[] = [];
			while (work.running > 0) {
				// With the one before.
				const sent = work.started + 1;
				most[sent] = Math.max(most[sent] ?? 0, work.running);
				await work.end();
			}
			expect(most.slice(13)).toEqual([4, 4, 1, 1, 1, 1]);
		});

		test('which is no limit to one that had all of it', async () => {
			const { through, refused } = lane();
			await through(60);
			await refused(60_000);
			expect(await through(70)).toBe(70);
		});

		test('of a window that is a minute long at most, and one second', async () => {
			const clock = new ManualClock(undefined, () => 0.59);
			const gate = new RequestGate(clock);
			const send = async (count: number) => {
				for (let i = 0; i < count; i++) await gate.pass('write', settle, PATIENT);
			};
			await send(20);
			await clock.advance(30_000);
			await gate.pass('write', async () => gate.close('write', 60_000), PATIENT);
			await clock.advance(60_000);
			await send(18);
			const asked = jest.fn();
			void gate.pass('write', async () => asked(), PATIENT);
			await settle();
			await clock.advance(30_499);
			expect(asked).not.toHaveBeenCalled();
			await clock.advance(1);
			expect(asked).toHaveBeenCalledTimes(1);
		});
	});

	test('tells each how long it was held back by a spent budget, a turn not counted', async () => {
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

	test('closed, it holds everyone back until the named time', async () => {
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

	test('closing one lane leaves the other open', async () => {
		const gate = new RequestGate(new ManualClock());
		gate.close('write', 60_000);
		await expect(gate.pass('read', async () => 'through', PATIENT)).resolves.toBe('through');
	});

	test('after a refusal it is single file while anyone waits, and open again afterwards', async () => {
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

	test('closed for longer than a caller may wait, it refuses at once and lets the rest go on', async () => {
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

	test('asks again after a quarter of an hour, however far away the named time is', async () => {
		const clock = new ManualClock();
		const gate = new RequestGate(clock);
		gate.close('read', 12 * 3_600_000);
		await clock.advance(15 * 60_000);
		await expect(gate.pass('read', async () => 'through', PATIENT)).resolves.toBe('through');
	});

	test('a shorter time that is named later does not open it sooner, nor shorten what it tells the impatient', async () => {
		const clock = new ManualClock();
		const gate = new RequestGate(clock);
		gate.close('read', 60_000);
		gate.close('read', 1_000);
		await clock.advance(1_000);
		await expect(gate.pass('read', async () => 'through', 0)).rejects.toMatchObject({ waitMs: 59_000 });
	});

	test('forgets a far time once it has asked again', async () => {
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
		const failing = Array.from({ length: 10 }, async () =>
			await gate.pass('read', async () => await Promise.reject(new Error('broken')), PATIENT),
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

	test.each(['read', 'write'] as const)('a gate with a %s on the way is not forgotten', async (lane) => {
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
