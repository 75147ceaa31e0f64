import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';
import { noteRateLimitWait, tellRateLimitWaits } from '../../../../../nodes/shared/service/rateLimit/waits.ts';

function run() {
	const hints: NodeExecutionHint[] = [];
	const functions = {
		addExecutionHints: (...added: NodeExecutionHint[]) => void hints.push(...added),
	} as unknown as IExecuteFunctions;
	return { functions, hints };
}

test('the waits of a run are told as one, those of reads and of writes apart', () => {
	const { functions, hints } = run();
	noteRateLimitWait(functions, 'read', 30_000, 130_000);
	noteRateLimitWait(functions, 'read', 28_400, 200_000);
	noteRateLimitWait(functions, 'write', 2_000, 200_000);
	tellRateLimitWaits(functions);
	expect(hints.map(({ message }) => message)).toEqual([
		'Waited 58 s for the rate limit (120 reads a minute, shared by everything that uses this credential)',
		'Waited 2 s for the rate limit (60 writes a minute, shared by everything that uses this credential)',
	]);
});

test('a run that did not wait, or hardly, says nothing; nor does another run', () => {
	const { functions, hints } = run();
	noteRateLimitWait(functions, 'read', 499, 1_000);
	noteRateLimitWait({}, 'read', 60_000, 60_000);
	tellRateLimitWaits(functions);
	expect(hints).toEqual([]);
});

test('what several requests have waited through together counts once', () => {
	const { functions, hints } = run();
	for (const until of [60_000, 60_000, 60_300]) noteRateLimitWait(functions, 'write', 30_000, until);
	noteRateLimitWait(functions, 'write', 0, 89_000);
	noteRateLimitWait(functions, 'write', 3_000, 90_000);
	tellRateLimitWaits(functions);
	expect(hints[0]?.message).toContain('Waited 33 s');
});
