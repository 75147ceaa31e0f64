'use strict';

const { writeFileSync } = require('node:fs');

const REASON = /\[skipped: ([^\]]+)\]/;

/** Prints what was skipped and why, and writes the counts to a file, which the test task prints once jest has ended. */
module.exports = class SummaryReporter {
	onRunComplete(_contexts, results) {
		const skips = new Map();
		for (const { testResults } of results.testResults) {
			for (const { status, fullName } of testResults) {
				if (status !== 'pending' && status !== 'todo') continue;
				const reason = REASON.exec(fullName)?.[1] ?? 'left out by a filter, or without a given reason';
				skips.set(reason, (skips.get(reason) ?? 0) + 1);
			}
		}
		for (const [reason, count] of skips) process.stderr.write(`skipped ${count}: ${reason}\n`);

		const file = process.env.LEAD_REVENUE_TEST_COUNTS;
		if (file === undefined) return;
		const counts = {
			passed: results.numPassedTests,
			// A file that cannot be loaded has no counted tests, but is a failure.
			failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
			skipped: results.numPendingTests + results.numTodoTests,
		};
		writeFileSync(file, JSON.stringify(counts));
	}
};
