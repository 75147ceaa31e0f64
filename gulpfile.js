'use strict';

const { execFile } = require('node:child_process');
const { glob, readFile, rm } = require('node:fs/promises');
const { builtinModules } = require('node:module');
const path = require('node:path');
const { promisify } = require('node:util');
const esbuild = require('esbuild');
const { dest, parallel, series, src } = require('gulp');
const { devDependencies } = require('./package.json');

// What every n8n brings along; the rest of the development dependencies must be inlined, for the package has no dependencies.
const PROVIDED_BY_N8N = new Set(['n8n-workflow', 'luxon']);
const inlined = new Set(Object.keys(devDependencies).filter((name) => !PROVIDED_BY_N8N.has(name)));

async function clean() {
	await rm('dist', { recursive: true, force: true });
}

async function compile() {
	const tsc = require.resolve('typescript/bin/tsc');
	try {
		await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.json', '--pretty']);
	} catch (error) {
		process.stdout.write(error.stdout ?? '');
		throw new Error('The TypeScript compiler found errors: see above.', { cause: error });
	}
}

function icons() {
	return src('icons/*.svg').pipe(dest('dist/icons'));
}

function codex() {
	return src('nodes/**/*.node.json').pipe(dest('dist/nodes'));
}

function packageOf(specifier) {
	const parts = specifier.split('/');
	return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

/** Keeps everything but the development dependencies as it is, so that each own module stays one shared instance. */
function inlineOnly(entry) {
	return {
		name: 'inline-development-dependencies',
		setup(build) {
			build.onResolve({ filter: /.*/ }, ({ path: specifier, kind, importer }) => {
				if (kind === 'entry-point' || path.resolve(importer) !== entry) return undefined;
				return inlined.has(packageOf(specifier)) ? undefined : { path: specifier, external: true };
			});
		},
	};
}

async function inlineDevelopmentDependencies() {
	for await (const file of glob('dist/{nodes,credentials}/**/*.js')) {
		const code = await readFile(file, 'utf8');
		const required = [...code.matchAll(/\brequire\("([^".][^"]*)"\)/g)].map(([, specifier]) => specifier);
		const isInlined = (name) => !name.startsWith('node:') && !builtinModules.includes(name) && inlined.has(packageOf(name));
		if (!required.some(isInlined)) continue;
		await esbuild.build({
			entryPoints: [file],
			outfile: file,
			allowOverwrite: true,
			bundle: true,
			format: 'cjs',
			platform: 'node',
			target: 'node20',
			legalComments: 'inline',
			plugins: [inlineOnly(path.resolve(file))],
		});
	}
}

exports.clean = clean;
exports.build = series(clean, parallel(compile, icons, codex), inlineDevelopmentDependencies);
exports.default = exports.build;
