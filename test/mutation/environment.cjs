'use strict';

const NodeEnvironment = require('@stryker-mutator/jest-runner/jest-env/node');

/** Tests of large amounts and of long waits: too long to be run for each mutant. */
const LEFT_OUT = [
	'250,000 leads come in one run',
	'50,000 transactions and more fit into less than a megabyte',
	'no memory ever takes more than its share of the state',
	'a process that is slower',
	'one that comes later gets its share',
	'over many minutes as few are refused',
	'faults between the service and the node',
	'a 429 that names a time as an HTTP date is waited for',
	'a 429 that names a time under the documented budget',
];

function fullName({ name, parent }) {
	return parent === undefined ? '' : `${fullName(parent)} ${name}`.trimStart();
}

/** Leaves out what takes long and, under a mutant, what comes after the first test of a file that fails: one is enough. */
module.exports = class MutationEnvironment extends NodeEnvironment {
	constructor(config, context) {
		super(config, context);
		const handle = this.handleTestEvent;
		let isKilled = false;
		this.handleTestEvent = async (event, state) => {
			await handle.call(this, event, state);
			if (event.name === 'test_start' && (isKilled || LEFT_OUT.some((name) => fullName(event.test).includes(name))))
				event.test.mode = 'skip';
			if (event.name === 'test_done' && process.env.__STRYKER_ACTIVE_MUTANT__ !== undefined)
				isKilled ||= event.test.errors.length > 0;
		};
	}
};
