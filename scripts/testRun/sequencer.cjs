'use strict';

const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** Seconds on two cores; files not listed take less than 40. A file that waits for an n8n leaves the processor to others. */
const SECONDS = {
	'host/long/transactionTrigger': 450,
	'host/long/manualRecordTrigger': 450,
	'scale/scale': 300,
	'host/long/update': 300,
	'host/examples/long/tagLeadsFromFile': 150,
	'host/long/transactionTriggerTrouble': 270,
	'host/long/transactionTriggerStaticData': 120,
	'host/start': 110,
	'host/long/startAgain': 150,
	'simulation/writes/long/breakages': 50,
	'hostile/fuzz': 90,
	'browser/nodes': 150,
	'hostile/attacks': 70,
	'host/writes': 70,
	'host/long/triggerBackoff': 70,
	'host/long/writesModel': 70,
	'host/toolWays': 60,
	'host/n8n3/triggerScheduled': 60,
	'host/n8n3/triggerDurable': 60,
	'host/n8n3/triggerStaticData': 60,
	'hostile/memory': 60,
	'simulation/long/memory': 100,
	'browser/long/examples': 45,
	'simulation/long/breakages': 110,
	'host/examples/long/startOnNewLeads': 45,
	'host/long/verify': 40,
	'simulation/writes/writes': 40,
	'browser/long/outputSchemas': 40,
	'engine/long/largeAmounts': 90,
	'host/find': 60,
};

const TESTS = path.join(__dirname, '..', '..', 'test');

function secondsOf({ path: file }) {
	return SECONDS[path.relative(TESTS, file).replaceAll(path.sep, '/').replace('.test.ts', '')] ?? 0;
}

/** Runs the longest files first, so that none is left for the end. jest itself sorts the files it has not run yet by size. */
module.exports = class LongestFirst extends Sequencer {
	sort(tests) {
		return [...super.sort(tests)].sort((one, other) => secondsOf(other) - secondsOf(one));
	}
};
