import type { Checkpoint } from '../../../../../nodes/shared/trigger/core/delivery.ts';
import type { Occasion } from '../../../../../nodes/shared/trigger/core/occasion.ts';
import { isAwaited, isFirst, occasionOf } from '../../../../../nodes/shared/trigger/core/occasion.ts';
import { pollOnce } from '../../../../../nodes/shared/trigger/core/pollOnce.ts';
import { checkpointOf, NOTHING, service, SETTINGS } from '../../../../support/scripted/ports.ts';

describe('the occasion of a poll', () => {
	test('is a first one without a checkpoint; those of an activation are awaited', () => {
		const occasions = [undefined, checkpointOf()].flatMap((previous) =>
			[true, false].map((isActivation) => occasionOf(previous, isActivation)),
		);
		expect(occasions).toEqual(['first', 'anew', 'activation', 'scheduled']);
		expect(occasions.map(isFirst)).toEqual([true, true, false, false]);
		expect(occasions.map(isAwaited)).toEqual([true, false, true, false]);
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
