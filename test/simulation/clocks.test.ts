import type { Checkpoint } from '../../nodes/shared/trigger/core/delivery.ts';
import { NoPage } from '../../nodes/shared/trigger/core/failures.ts';
import type { PollSettings } from '../../nodes/shared/trigger/core/ports.ts';
import { timesOf } from '../../nodes/shared/trigger/core/serviceTime.ts';
import { fetching } from '../support/scripted/pages.ts';
import type { Listed } from '../support/scripted/ports.ts';
import { deliver, listing, NOW, service, SETTINGS } from '../support/scripted/ports.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** What is wrong in one poll: how far the clocks are off, in milliseconds, and whether the service is down. */
interface Trouble {
	n8n?: number;
	date?: number;
	process?: string;
	isDown?: boolean;
}

/** Returns a function that polls at a moment, and returns what the poll emits. */
function polling(list: Listed[], more: Partial<PollSettings> = {}) {
	let checkpoint: Checkpoint | undefined;
	return async (real: number, { n8n = 0, date = 0, process: name = 'one', isDown = false }: Trouble = {}) => {
		const local = real + n8n;
		const timing = { date: new Date(real + date).toUTCString(), sentAt: local, receivedAt: local };
		const visible = list.filter(({ changedAt }) => changedAt <= real);
		const ports = {
			...service().ports,
			now: () => local,
			...fetching(async (since, cursor) => {
				if (isDown) throw new NoPage('recovering', 'the service is down');
				const page = await listing(visible, real, 100).fetchPage(since ?? real + 1, cursor);
				return { ...page, ...timesOf(timing) };
			}),
		};
		const polled = await deliver(checkpoint, { ...SETTINGS, ...more }, ports, { name });
		({ checkpoint } = polled);
		return polled.emitted.map(({ record, event }) => `${String(record.id)} ${event}`);
	};
}

const occurred = (id: string, at: number, changedAt = at): Listed => ({
	record: { id, occurred_at: new Date(at).toISOString() },
	changedAt,
});

test.each<[string, Trouble]>([
	["n8n's clock is three days behind for one poll", { n8n: -3 * DAY }],
	['one response has a Date of three days ago', { date: -3 * DAY }],
])('nothing old is new where %s, while the other clock is right', async (_what, trouble) => {
	const poll = polling([1, 24, 48].map((hours) => occurred(`${hours} h`, NOW - hours * 60 * MINUTE)));
	expect(await poll(NOW)).toEqual([]);
	expect([await poll(NOW + MINUTE, trouble), await poll(NOW + 2 * MINUTE)]).toEqual([[], []]);
});

test("a full memory forgets no day to come where n8n's clock is three days ahead for one poll", async () => {
	const full = Array.from({ length: 10 }, (_, index) => occurred(`early ${index}`, NOW - index, NOW + MINUTE));
	const later = [29, 50, 55].map((minute) => occurred(`minute ${minute}`, NOW + minute * MINUTE));
	const poll = polling([...full, ...later], { capacity: 10 });
	const arrived = new Set<string>();
	for (let minute = 0; minute < 90; minute++) {
		for (const one of await poll(NOW + minute * MINUTE, { n8n: minute === 29 ? 3 * DAY : 0 })) arrived.add(one);
	}
	expect([...arrived].slice(10)).toEqual(['minute 29 new', 'minute 50 new', 'minute 55 new']);
});

test.each<[string, (hour: number) => Trouble]>([
	['the Date of every response', () => ({ date: -4 * DAY })],
	['the Date of one response', (hour) => (hour === 130 ? { date: -4 * DAY } : {})],
	["n8n's clock", () => ({ n8n: -4 * DAY })],
])('a full memory of three days repeats nothing where only %s is four days behind', async (_what, from) => {
	const midnight = Math.ceil(NOW / DAY) * DAY;
	const list = Array.from({ length: 48 }, (_, index) =>
		occurred(`record ${index}`, midnight + Math.floor(index / 4) * DAY + (4 * (index % 4) + 4) * 60 * MINUTE),
	);
	const poll = polling(list, { capacity: 12 });
	const arrived: string[] = [];
	for (let hour = 0; hour < 300; hour++) {
		arrived.push(...(await poll(NOW + hour * 60 * MINUTE, hour < 100 ? {} : from(hour))));
	}
	expect([arrived.length, new Set(arrived).size]).toEqual([48, 48]);
});

test("a start that got no response begins no later than the first one, where n8n's clock was ahead and another process continues", async () => {
	const poll = polling([occurred('in the outage', NOW + 29 * MINUTE)]);
	expect(await poll(NOW, { n8n: 60 * MINUTE, isDown: true })).toEqual([]);
	const arrived: string[] = [];
	for (let minute = 30; minute < 40; minute++) {
		arrived.push(...(await poll(NOW + minute * MINUTE, { process: 'two' })));
	}
	expect(arrived).toEqual(['in the outage new']);
});
