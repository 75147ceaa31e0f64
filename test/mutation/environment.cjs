'use strict';

const NodeEnvironment = require('@stryker-mutator/jest-runner/jest-env/node');

/** Tests of large amounts and long waits, which take too long to run for each mutant. */
const LEFT_OUT = [
	'one run returns 250,000 leads',
	'50,000 transactions and more fit into less than a megabyte',
	'no memory ever takes more than its share of the state',
	'a slower process',
	'a process that starts later gets its share',
	'over many minutes as few requests are rejected',
	'faults between the service and the node',
	'as an HTTP date makes the node wait until then',
	'under the documented rate limit a long list takes one rejected request a minute',
];

function fullName({ name, parent }) {
	return parent === undefined ? '' : `${fullName(parent)} ${name}`.trimStart();
}

/** Skips slow tests and, under a mutant, the tests of a file after its first failure: one failure kills the mutant. */
module.exports = class MutationEnvironment extends NodeEnvironment {
	constructor(config, context) {
		super(config, context);
		const handle = this.handleTestEvent;
		let isKilled = false;
		this.handleTestEvent = async (event, state) => {
			await handle.call(this, event, state);
			if (event.name === 'test_start' && (isKilled || LEFT_OUT.some((name) => fullName(event.test).includes(name)))) {
				event.test.mode = 'skip';
			}
			if (event.name === 'test_done' && process.env.__STRYKER_ACTIVE_MUTANT__ !== undefined) {
				isKilled ||= event.test.errors.length > 0;
			}
		};
	}
};
