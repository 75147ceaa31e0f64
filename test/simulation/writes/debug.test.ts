import { readFileSync } from 'node:fs';
import { loaderOf } from './modules';
import { checkWrites } from './oracle';
import { World } from './world';
import { contentOf } from './service';

test('debug', async () => {
	const schedule = new Function(`return ${readFileSync('/tmp/sched.js', 'utf8')}`)();
	const world = new World(loaderOf(), schedule);
	await world.run();
	for (const e of world.executions) console.log(e.id, e.status, e.mode, e.lineage, e.data.slice(0, 3000));
	for (const a of world.attempts)
		console.log(
			a.id,
			a.scope,
			a.executionId,
			a.inherits,
			a.lineage,
			a.ended,
			a.items.map((i) => [
				i.identity,
				i.intended,
				i.requests.map((r) => [r.key.slice(0, 8), contentOf(r), r.sentAt % 10000000]),
				i.made,
				i.failed,
			]),
		);
	for (const c of world.service.changes)
		console.log(c.id, c.at % 10000000, c.request.key.slice(0, 8), contentOf(c.request));
	for (const c of world.service.mismatches)
		console.log('mismatch', c.request.key.slice(0, 8), contentOf(c.request), contentOf(c.made.request));
	checkWrites(world);
});
