import { Endless } from '../../nodes/shared/trigger/core/failures.ts';
import type { Ports, RecordPage } from '../../nodes/shared/trigger/core/ports.ts';
import type { Walk } from '../../nodes/shared/trigger/core/state.ts';
import { newWalk } from '../../nodes/shared/trigger/core/state.ts';
import { walk } from '../../nodes/shared/trigger/core/walk.ts';
import { KIND } from '../support/scripted/kind.ts';
import { NO_LOG } from '../support/scripted/pages.ts';
import { storedCopy } from '../support/scripted/storing.ts';

const MAX_POLLS = 200;

const PORTS = { log: NO_LOG, kind: KIND, occasion: 'scheduled' as const, fetchTime: async () => 0, now: () => 0 };

/** Pages 0, 1, 2, … whose cursors name the next one; after page `last` comes page `back` again. */
function circle(last: number, back: number, pagesPerPoll: number): Ports {
	let left = pagesPerPoll;
	return {
		...PORTS,
		hasTime: () => left > 0,
		async fetchPage(_since, cursor): Promise<RecordPage> {
			left--;
			const number = Number(cursor ?? 0);
			return { records: [], nextCursor: String(number === last ? back : number + 1), asOf: 0, latest: 0 };
		},
	};
}

describe('cursors that go round in a circle', () => {
	test.each([
		['a page that names itself', 1, 1, 10],
		['a short circle', 5, 3, 10],
		['a circle longer than a poll', 40, 1, 7],
		['a circle far down the list', 60, 58, 7],
	])('%s is found, however many polls it takes', async (_what, last, back, pagesPerPoll) => {
		let sweep: Walk = newWalk(0);
		for (let poll = 0; poll < MAX_POLLS; poll++) {
			const progress = await walk(sweep, () => true, circle(last, back, pagesPerPoll));
			if (progress.end === 'failed') {
				expect(progress.failure).toBeInstanceOf(Endless);
				return;
			}
			// As n8n keeps it.
			if (progress.end === 'complete') break;
			sweep = storedCopy(progress.rest);
		}
		throw new Error('the circle was never found');
	});

	test('a long list without a circle is walked to its end', async () => {
		const ports: Ports = {
			...PORTS,
			hasTime: () => true,
			async fetchPage(_since, cursor): Promise<RecordPage> {
				const number = Number(cursor ?? 0);
				return { records: [], nextCursor: number === 3_000 ? null : String(number + 1), asOf: 7, latest: 7 };
			},
		};
		expect(await walk(newWalk(0), () => true, ports)).toEqual({
			...{ pagesFetched: 3_001, cursorRejected: false },
			...{ end: 'complete', startedAt: 7, latest: 7, hadOnePage: false },
		});
	});
});
