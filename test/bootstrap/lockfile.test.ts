import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const LOCKFILE_MODULE = pathToFileURL(path.resolve('scripts/bootstrap/lockfile.mjs')).href;

const LOCKED = {
	'': { version: '1.0.0' },
	'node_modules/a': { version: '1.0.0' },
	'node_modules/for-another-system': { version: '1.0.0', optional: true },
	'node_modules/workspace': { link: true },
};

/** Returns what the check reports for an installation; empty when it matches the lockfile. */
function complaint(installed: object): string {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'lead-revenue-lockfile-'));
	mkdirSync(path.join(folder, 'node_modules'));
	writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages: LOCKED }));
	writeFileSync(path.join(folder, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: installed }));
	const code = `
		import { checkAgainstLockfile } from ${JSON.stringify(LOCKFILE_MODULE)};
		await checkAgainstLockfile(process.argv[1]).catch((error) => process.stdout.write(error.message));
	`;
	const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code, folder], { encoding: 'utf8' });
	rmSync(folder, { recursive: true });
	return stdout;
}

test('the locked versions pass, with or without the optional packages of other systems', () => {
	expect(complaint({ 'node_modules/a': { version: '1.0.0' } })).toBe('');
	expect(
		complaint({ 'node_modules/a': { version: '1.0.0' }, 'node_modules/for-another-system': { version: '1.0.0' } }),
	).toBe('');
});

test('another version, a missing package and one too many are named, with what to do', () => {
	expect(complaint({ 'node_modules/a': { version: '1.0.1' } })).toContain('node_modules/a: 1.0.1 instead of 1.0.0');
	expect(complaint({})).toContain('node_modules/a: missing instead of 1.0.0');
	const extra = { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0' } };
	expect(complaint(extra)).toContain('node_modules/b: not in the lockfile');
	expect(complaint({})).toContain('Delete its node_modules and run the command again.');
});
