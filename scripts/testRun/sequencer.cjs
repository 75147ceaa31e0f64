'use strict';

const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** Seconds on two cores; files not listed take less than 40. */
const SECONDS = {
	'host/long/transactionTrigger': 600,
	'scale/scale': 350,
	'host/long/transactionTriggerStaticData': 400,
	'host/long/transactionTriggerTrouble': 260,
	'host/long/asCode': 230,
	'host/long/manualRecordTrigger': 220,
	'host/examples/long/tellWhatFailed': 200,
	'host/long/update': 200,
	'browser/long/examples': 190,
	'host/long/triggerUnpublished': 150,
	'host/n8n3/triggerDurable': 140,
	'host/n8n3/triggerScheduled': 140,
	'host/n8n3/triggerStaticData': 140,
	'host/examples/long/tagLeadsFromFile': 150,
	'browser/nodes': 150,
	'hostile/fuzz': 150,
	'host/long/startAgain': 130,
	'host/writes': 130,
	'simulation/triggers': 130,
	'host/start': 120,
	'browser/long/nodeDetails': 120,
	'simulation/long/shiftingList': 120,
	'host/long/n8nProcess': 110,
	'simulation/host/long/breakages': 100,
	'hostile/attacks': 100,
	'engine/long/largeAmounts': 90,
	'host/examples/long/watchForSilence': 90,
	'browser/long/outputSchemas': 80,
	'host/toolWays': 80,
	'host/long/writesModel': 70,
	'host/long/triggerBackoff': 70,
	'host/long/toolListEnds': 70,
	'simulation/writes/long/breakages': 70,
	'simulation/writes/writes': 70,
	'simulation/writes/small': 60,
	'simulation/long/memory': 60,
	'host/examples/long/askBeforeAnAgentChanges': 60,
	'host/long/n8nUpdate': 50,
	'host/long/verify': 50,
	'sandbox/long/commandLine': 50,
	'sandbox/long/data': 50,
	'hostile/memory': 50,
	'simulation/pacing': 45,
	'host/examples/long/startOnNewLeads': 45,
};
const SHORT = 5;

const TESTS = path.join(__dirname, '..', '..', 'test');

function nameOf({ path: file }) {
	return path.relative(TESTS, file).replaceAll(path.sep, '/').replace('.test.ts', '');
}

function secondsOf(test) {
	return SECONDS[nameOf(test)] ?? SHORT;
}

/** Whether the file mostly waits for an n8n, and leaves the processor to others. */
function waits(test) {
	return /^(host|scale|browser)\//.test(nameOf(test));
}

/**
 * Runs the longest files first, so that none is left for the end, and files that wait together with files that compute, so that
 * the processor always has work: both kinds get on at the same rate. jest itself sorts the files it has not run yet by size.
 */
module.exports = class LongestFirst extends Sequencer {
	sort(tests) {
		const sorted = [...super.sort(tests)].sort((one, other) => secondsOf(other) - secondsOf(one));
		const total = (some) => some.reduce((sum, test) => sum + secondsOf(test), 0);
		const share = new Map();
		for (const kind of [sorted.filter(waits), sorted.filter((test) => !waits(test))]) {
			kind.forEach((test, index) => share.set(test, total(kind.slice(0, index)) / total(kind)));
		}
		return sorted.sort((one, other) => share.get(one) - share.get(other));
	}
};
