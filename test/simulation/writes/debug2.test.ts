import { appendFileSync } from 'node:fs';
import { BREAKAGES } from './breakages.test';
import { loaderOf } from './modules';
import { search } from './search';

const only = process.env.ONLY;
test('all', async () => {
	for (const [name, breakage, expected] of BREAKAGES) {
		if (only !== undefined && !name.includes(only)) continue;
		const began = Date.now();
		const tally = { executions: 0, kills: 0, retries: 0, requests: 0, 'runs of our nodes': 0 };
		let text = '';
		try {
			const found = await search(loaderOf(breakage), Number(process.env.N ?? 1500), 20261122, { shrinks: false, tally }).then(
				() => 'nothing',
				(error: Error) => (error.cause instanceof Error ? error.cause.message : error.message),
			);
			text = `${expected.test(found) ? 'ok  ' : 'FAIL'} ${tally.executions} ${found.slice(0, 250).replaceAll('\n', ' ')}`;
		} catch (error) {
			text = `FAIL ${String(error)}`;
		}
		appendFileSync('/tmp/sim-breakages.log', `${text} ${Date.now() - began}ms ### ${name}\n`);
	}
}, 3_600_000);
