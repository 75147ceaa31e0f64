// Measures how long n8n takes to load an installed community package in a fresh process. Arguments: the folder of an installed
// n8n, the package's folder, and optionally a file of it to require instead. NODE_PATH must be n8n's.
import { createRequire } from 'node:module';
import path from 'node:path';
import type * as N8nCore from 'n8n-core';

const [n8nFolder, packageFolder, file] = process.argv.slice(2) as [string, string, string?];
const require = createRequire(path.join(n8nFolder, 'package.json'));
require('reflect-metadata');
require('n8n-workflow');
const { LazyPackageDirectoryLoader, PackageDirectoryLoader } = require('n8n-core') as typeof N8nCore;
// n8n loads its own nodes before those of a community package.
await new LazyPackageDirectoryLoader(path.dirname(require.resolve('n8n-nodes-base/package.json'))).loadAll();

const started = performance.now();
if (file === undefined) {
	const loader = new PackageDirectoryLoader(packageFolder);
	await loader.loadAll();
	const milliseconds = performance.now() - started;
	const credentials = Object.keys(loader.credentialTypes).length;
	process.stdout.write(JSON.stringify({ milliseconds, nodes: loader.loadedNodes.length, credentials }));
} else {
	require(path.join(packageFolder, file));
	process.stdout.write(JSON.stringify({ milliseconds: performance.now() - started, nodes: 0, credentials: 0 }));
}
