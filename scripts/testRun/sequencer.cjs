'use strict';

const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** Seconds, on two cores; what is not here takes less. One n8n that is waited for leaves the processor to others. */
const SECONDS = {
	'scale/scale': 300,
	'host/transactionTrigger': 330,
	'host/transactionTriggerTrouble': 240,
	'host/start': 110,
	'hostile/fuzz': 90,
	'hostile/attacks': 70,
	'host/writes': 70,
	'hostile/memory': 60,
	'browser/nodes': 60,
	'browser/examples': 45,
	'host/verify': 40,
	'host/toolWays': 40,
	'browser/oauth2': 35,
	'engine/transactionTriggerGaps': 30,
	'sandbox/data': 25,
	'package/verify': 25,
	'engine/idempotency': 23,
	'sandbox/commandLine': 21,
	'browser/apiKey': 20,
	'browser/nodePanel': 20,
	'simulation/breakages': 20,
	'simulation/counterexamples': 19,
	'host/examples/leadsToDataTable': 18,
	'engine/getRevenue': 15,
	'simulation/pacing': 15,
};

const TESTS = path.join(__dirname, '..', '..', 'test');

function secondsOf({ path: file }) {
	return SECONDS[path.relative(TESTS, file).replaceAll(path.sep, '/').replace('.test.ts', '')] ?? 0;
}

/** The longest first, so that no worker is left with one of them at the end; jest itself goes by the size of a file until it has run it. */
module.exports = class LongestFirst extends Sequencer {
	sort(tests) {
		return [...super.sort(tests)].sort((one, other) => secondsOf(other) - secondsOf(one));
	}
};
