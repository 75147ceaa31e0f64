'use strict';

const { execFile } = require('node:child_process');
const { chmod, mkdir, readdir, readFile, rm, writeFile } = require('node:fs/promises');
const path = require('node:path');
const { promisify } = require('node:util');
const esbuild = require('esbuild');
const { dest, parallel, series, src } = require('gulp');
const { n8n } = require('./package.json');

// Modules that every n8n has; everything else is inlined, because the package has no dependencies.
const PROVIDED_BY_N8N = ['n8n-workflow', 'luxon', 'node:crypto'];
const BUNDLE = 'dist/lead-revenue.js';
// Besides "files" of package.json.
const PACKED_BY_NPM = ['LICENSE', 'README.md', 'package.json'];

const listed = [...n8n.nodes, ...n8n.credentials];

async function clean() {
	await rm('dist', { recursive: true, force: true });
}

async function checkTypes() {
	const tsc = require.resolve('typescript/bin/tsc');
	try {
		await promisify(execFile)(process.execPath, [tsc, '--noEmit', '-p', 'tsconfig.json', '--pretty']);
	} catch (error) {
		process.stdout.write(error.stdout ?? '');
		throw new Error('The TypeScript compiler found errors. See the output above.', { cause: error });
	}
}

/** Requires each module that n8n provides once instead of once in each file, which makes the bundle a kilobyte smaller. */
const providedOnce = {
	name: 'provided-once',
	setup(build) {
		build.onResolve({ filter: new RegExp(`^(${PROVIDED_BY_N8N.join('|')})$`) }, ({ path: name, namespace }) =>
			namespace === 'provided' ? { path: name, external: true } : { path: name, namespace: 'provided' },
		);
		build.onLoad({ filter: /./, namespace: 'provided' }, ({ path: name }) => {
			const names = Object.keys(require(name)).filter((exported) => exported !== 'default');
			return { contents: `export { ${names.join(', ')} } from '${name}';` };
		});
	},
};

/**
 * One file for everything, so that what nodes share, such as the lanes, exists once. It keeps the names of the source,
 * because people review and debug a community node in this file.
 */
async function bundle() {
	const sources = listed.map((file) => `./${path.relative('dist', file).replace(/\.js$/, '.ts')}`);
	const names = sources.map((file) => path.basename(file).split('.')[0]);
	const imports = sources.map((file, index) => `import { ${names[index]} } from '${file}';`);
	await esbuild.build({
		stdin: {
			// esbuild needs a kilobyte of helpers for `export`.
			contents: `${imports.join('\n')}\nmodule.exports = { ${names.join(', ')} };`,
			resolveDir: __dirname,
			loader: 'ts',
		},
		outfile: BUNDLE,
		bundle: true,
		format: 'cjs',
		platform: 'node',
		target: 'node20',
		plugins: [providedOnce],
		minifyWhitespace: true,
		minifySyntax: true,
		legalComments: 'none',
		banner: { js: '// Holds parts of uuid, (c) 2010-2020 Robert Kieffer and other contributors, MIT License.' },
	});
}

/** The files that n8n loads: it takes from each the class of its name. */
async function entries() {
	for (const file of listed) {
		const toBundle = path.relative(path.dirname(file), BUNDLE);
		await mkdir(path.dirname(file), { recursive: true });
		await writeFile(file, `module.exports = require('${toBundle}');\n`);
	}
}

function icons() {
	return src('icons/*.svg').pipe(dest('dist/icons'));
}

/** The files that n8n looks for beside a node: what the node panel says of it, and the fields of its outputs. */
async function descriptions() {
	const files = (await readdir('nodes', { recursive: true })).filter((file) => file.endsWith('.json'));
	for (const file of files) {
		const described = JSON.parse(await readFile(path.join('nodes', file), 'utf8'));
		const published = path.join('dist', 'nodes', file);
		await mkdir(path.dirname(published), { recursive: true });
		await writeFile(published, JSON.stringify(described));
	}
}

/** npm packs the modes of files, so a umask would make another tarball with another checksum. */
async function modes() {
	const built = (await readdir('dist', { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
	const packed = [...built.map(({ parentPath, name }) => path.join(parentPath, name)), ...PACKED_BY_NPM];
	await Promise.all(packed.map(async (file) => await chmod(file, 0o644)));
}

exports.clean = clean;
exports.build = series(clean, parallel(checkTypes, bundle, entries, icons, descriptions), modes);
exports.default = exports.build;
