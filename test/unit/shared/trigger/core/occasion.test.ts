import type { Checkpoint } from '../../../../../nodes/shared/trigger/core/delivery.ts';
import type { Occasion } from '../../../../../nodes/shared/trigger/core/occasion.ts';
import { begins, isAwaited, occasionOf } from '../../../../../nodes/shared/trigger/core/occasion.ts';
import { pollOnce } from '../../../../../nodes/shared/trigger/core/pollOnce.ts';
import { checkpointOf, NOTHING, service, SETTINGS, some } from '../../../../support/scripted/ports.ts';

describe('the occasion of a poll', () => {
	test('is a first one without a checkpoint; those of an activation are awaited', () => {
		const occasions = [undefined, checkpointOf()].flatMap((previous) =>
			[true, false].map((isActivation) => occasionOf(previous, isActivation)),
		);
		expect(occasions).toEqual(['first', 'anew', 'activation', 'scheduled']);
		expect(occasions.map(begins)).toEqual([true, true, false, false]);
		expect(occasions.map(isAwaited)).toEqual([true, false, true, false]);
	});

	test("is unattended if n8n's own start begins the trigger, and awaited as a first one", () => {
		expect(occasionOf(undefined, true, true)).toBe('unattended');
		expect(occasionOf(checkpointOf(), true, true)).toBe('activation');
		expect([begins('unattended'), isAwaited('unattended')]).toEqual([true, true]);
	});

	const FIRST: Occasion[] = ['first', 'unattended', 'anew'];

	test.each(FIRST)('%s requests the time and the overlap, and no more', async (occasion) => {
		const { ports, asked } = service({ records: some(1, 2) }, { records: some(1, 3) }, { records: some(1, 3) });
		const polled = await pollOnce(undefined, SETTINGS, { ...ports, occasion }, NOTHING);
		expect([polled.emitted, polled.state.phase, asked.length]).toEqual([[], 'between', 2]);
	});

	test.each<[Occasion, Checkpoint | undefined]>([
		['first', checkpointOf()],
		['anew', checkpointOf()],
		['activation', undefined],
		['scheduled', undefined],
	])('%s with the checkpoint %j fails the poll', async (occasion, previous) => {
		const polled = pollOnce(previous, SETTINGS, { ...service({}).ports, occasion }, NOTHING);
		await expect(polled).rejects.toThrow('only a first poll has no checkpoint');
	});
});
