'use strict';

/** Jest's filter: the test file that the runner has chosen, or all. */
module.exports = async (files) => {
	const selected = process.env.MUTATION_TEST_FILE;
	return { filtered: selected === undefined ? files : files.filter((file) => file === selected) };
};
