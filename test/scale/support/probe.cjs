'use strict';

// Preloaded into n8n: on SIGUSR2 it collects all garbage and appends a line with the remaining memory to this process's file.
const { appendFileSync } = require('node:fs');
const path = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');

const folder = process.env.LEAD_REVENUE_PROBE_FOLDER;
const uncaught = [];

// n8n's own listener logs an uncaught error like any other, and n8n continues.
process.on('uncaughtExceptionMonitor', (error, origin) => uncaught.push(`${origin}: ${String(error?.stack ?? error)}`));

function collectGarbage() {
	v8.setFlagsFromString('--expose-gc');
	const collect = vm.runInNewContext('gc');
	// The second collection frees what finalizers release after the first.
	collect();
	collect();
}

function countByName(names) {
	const counts = {};
	for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
	return counts;
}

process.on('SIGUSR2', () => {
	collectGarbage();
	const { heapUsed, external, rss } = process.memoryUsage();
	const line = {
		heapBytes: heapUsed,
		externalBytes: external,
		residentBytes: rss,
		resources: countByName(process.getActiveResourcesInfo()),
		uncaught,
	};
	appendFileSync(path.join(folder, `${process.pid}.jsonl`), `${JSON.stringify(line)}\n`);
});
