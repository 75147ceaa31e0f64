'use strict';

// Loaded into an n8n by NODE_OPTIONS: as many milliseconds as the file CLOCK_AHEAD says have passed in addition, by the
// machine's clock and by the monotonic one.
const { readFileSync } = require('node:fs');

const now = Date.now;
const elapsed = performance.now.bind(performance);
let ahead = 0;
let readAt = 0;

function passed() {
	const time = now();
	if (time - readAt > 500) {
		readAt = time;
		try {
			ahead = Number(readFileSync(process.env.CLOCK_AHEAD, 'utf8')) || 0;
		} catch {
			// Not written yet.
		}
	}
	return ahead;
}

Date.now = () => now() + passed();
performance.now = () => elapsed() + passed();
