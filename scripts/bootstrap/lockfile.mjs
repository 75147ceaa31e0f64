import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from './command.mjs';

/**
 * Checks that an installation matches its lockfile, as `npm ci` would. The scripts use `npm install --no-save` instead:
 * `npm ci` rejects a lockfile with optional packages of other systems that the registry does not serve.
 *
 * @throws {Failure} when an installed version is not the locked one, or a package that is not optional is missing.
 */
export async function checkAgainstLockfile(folder) {
	const locked = await packagesOf(path.join(folder, 'package-lock.json'));
	const installed = await packagesOf(path.join(folder, 'node_modules', '.package-lock.json'));
	const wrong = [];
	for (const [place, { version, optional, peer, link, devOptional }] of Object.entries(locked)) {
		if (place === '' || link || !place.includes('node_modules/')) continue;
		const found = installed[place];
		if (found === undefined ? !(optional || peer || devOptional) : found.version !== version) {
			wrong.push(`${place}: ${found?.version ?? 'missing'} instead of ${version}`);
		}
	}
	for (const place of Object.keys(installed)) {
		if (place.includes('node_modules/') && locked[place] === undefined) wrong.push(`${place}: not in the lockfile`);
	}
	if (wrong.length === 0) return;
	throw new Failure(
		[
			`${folder} does not match its lockfile:`,
			...wrong.slice(0, 10),
			'Delete its node_modules and run the command again.',
		].join('\n'),
	);
}

async function packagesOf(file) {
	if (!existsSync(file)) {
		throw new Failure(`${file} is missing: the installation did not finish. Run the command again.`);
	}
	return JSON.parse(await readFile(file, 'utf8')).packages;
}
