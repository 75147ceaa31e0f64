'use strict';

// Preloaded into a measured process: writes its peak memory, in bytes, to the file in BENCH_PEAK_MEMORY.
const { writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

if (isMainThread && process.env.BENCH_PEAK_MEMORY) {
	process.on('exit', () => writeFileSync(process.env.BENCH_PEAK_MEMORY, String(process.resourceUsage().maxRSS * 1024)));
}
