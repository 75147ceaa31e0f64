import { spawnSync } from 'node:child_process';
import { rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { packIn } from '../lib/build.ts';
import { mustRun } from '../lib/command.ts';
import { inRepository, ROOT } from '../lib/repository.ts';
import { temporaryFolder } from '../lib/temporaryFolder.ts';

/** The release before the first tag. A later one is found by its tag. */
const UNTAGGED = { version: '0.2.0', commit: 'c05d00417121d3a409c8e327258b7893116146e9' };

export interface Release {
	version: string;
	commit: string;
}

/**
 * Returns the release before this commit: the latest tag `v…` in its history, but not one of its own. Undefined where git or
 * that part of the history is missing, as in an unpacked archive or a shallow clone.
 */
export function previousRelease(): Release | undefined {
	const tags = git('tag', '--list', 'v*', '--merged', 'HEAD', '--no-contains', 'HEAD', '--sort=-version:refname');
	const [tag = ''] = tags?.split('\n') ?? [];
	const release = tag === '' ? UNTAGGED : { version: tag.slice(1), commit: tag };
	const commit = git('rev-parse', '--verify', '--quiet', `${release.commit}^{commit}`);
	return commit === undefined ? undefined : { ...release, commit: commit.trim() };
}

/** Builds a release from its sources, with the tools of this clone, and packs it. */
export async function packRelease({ commit }: Release): Promise<{ tarball: string; dispose(): Promise<void> }> {
	const folder = await temporaryFolder('release');
	try {
		const archive = path.join(folder, 'sources.tar');
		await mustRun('git', ['archive', `--output=${archive}`, commit]);
		await mustRun('tar', ['-xf', archive, '-C', folder]);
		await symlink(inRepository('node_modules'), path.join(folder, 'node_modules'));
		const gulp = inRepository('node_modules', 'gulp', 'bin', 'gulp.js');
		await mustRun(process.execPath, [gulp, 'build'], { cwd: folder });
		return await packIn(folder);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** Returns what a git command prints; `undefined` when it fails. */
function git(...args: string[]): string | undefined {
	const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
	return status === 0 ? stdout : undefined;
}
