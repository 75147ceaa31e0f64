'use strict';

const { execFile } = require('node:child_process');
const { glob, readFile, rm, writeFile } = require('node:fs/promises');
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

function requiresInlined(code) {
	const required = [...code.matchAll(/\brequire\("([^".][^"]*)"\)/g)].map(([, specifier]) => specifier);
	return required.some((name) => !name.startsWith('node:') && !builtinModules.includes(name) && inlined.has(packageOf(name)));
}

/**
 * Inlines development dependencies where they are imported, and takes the white space out of every file: it would be a
 * quarter of the package.
 */
async function finish() {
	for await (const file of glob('dist/{nodes,credentials}/**/*.js')) {
		const code = await readFile(file, 'utf8');
		if (!requiresInlined(code)) {
			await writeFile(file, (await esbuild.transform(code, { target: 'node20', minifyWhitespace: true })).code);
			continue;
		}
		// From the source, whose imports esbuild can trim to what is used; from compiled code it would take whole packages.
		const source = path.resolve(path.relative('dist', file).replace(/\.js$/, '.ts'));
		await esbuild.build({
			entryPoints: [source],
			outfile: file,
			allowOverwrite: true,
			bundle: true,
			format: 'cjs',
			platform: 'node',
			target: 'node20',
			minifyWhitespace: true,
			legalComments: 'inline',
			plugins: [inlineOnly(source)],
		});
	}
}

exports.clean = clean;
exports.build = series(clean, parallel(compile, icons, codex), finish);
exports.default = exports.build;
