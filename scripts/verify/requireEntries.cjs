// Requires files as n8n's loader does: each must export the class of its name, and `new` must work on it.
'use strict';

const path = require('node:path');

for (const file of process.argv.slice(2)) {
	const [name] = path.basename(file).split('.');
	const Class = require(file)[name];
	if (typeof Class !== 'function') throw new Error(`${file} exports no class ${name}`);
	const made = new Class();
	if (made.description === undefined && made.properties === undefined) {
		throw new Error(`${file}: ${name} describes neither a node nor a credential`);
	}
}
