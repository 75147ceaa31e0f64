'use strict';

const NodeEnvironment = require('@stryker-mutator/jest-runner/jest-env/node');

// A mutant that waits forever times out soon. `runner.ts` leaves out the tests that take half as long without a mutant.
const MUTANT_TIMEOUT_MS = 20_000;

/** Under a mutant, skips the tests of a file after its first failure: one failure kills the mutant. */
module.exports = class MutationEnvironment extends NodeEnvironment {
	constructor(config, context) {
		super(config, context);
		if (process.env.__STRYKER_ACTIVE_MUTANT__ === undefined) return;
		const handle = this.handleTestEvent;
		let isKilled = false;
		this.handleTestEvent = async (event, state) => {
			await handle.call(this, event, state);
			if (event.name === 'run_start') state.testTimeout = MUTANT_TIMEOUT_MS;
			if (event.name === 'test_start' && isKilled) event.test.mode = 'skip';
			if (event.name === 'test_done') isKilled ||= event.test.errors.length > 0;
		};
	}
};
