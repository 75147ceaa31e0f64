import type { Unchecked } from '../../../../../../nodes/shared/trigger/core/saved/parts.ts';
import { damageIn, PARTS } from '../../../../../../nodes/shared/trigger/core/saved/parts.ts';
import { savedFormOf } from '../../../../../../nodes/shared/trigger/core/saved/savedForm.ts';
import { checkpointOf } from '../../../../../support/scripted/ports.ts';

const SAVED = savedFormOf(checkpointOf()) as Unchecked;

test('what is written has its shape', () => {
	expect(damageIn(SAVED)).toBeUndefined();
});

test('each part that has another shape has a message of its own', () => {
	const damages = Object.keys(PARTS).map((name) => damageIn({ ...SAVED, [name]: 'another' }));
	expect(damages).toEqual(Object.keys(PARTS).map(() => expect.stringMatching(/^its .* (is|are) (not|damaged)/)));
	expect(new Set(damages).size).toBe(damages.length);
});
