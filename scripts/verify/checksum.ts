import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Returns the checksum by which n8n installs a package: `sha512-` and Base64, as npm's `integrity`. */
export function checksumOf(tarball: string): string {
	return `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
}

const LINE = /^Checksum: `(.*)`\n\n/;

/** Returns the changelog with the checksum of `version` below its heading. @throws Error when there is no such heading */
export function withChecksum(changelog: string, version: string, checksum: string): string {
	const [before, after] = partsOf(changelog, version);
	return `${before}Checksum: \`${checksum}\`\n\n${after.replace(LINE, '')}`;
}

/** @throws Error when the changelog does not have this checksum of `version` */
export function checkChecksum(changelog: string, version: string, checksum: string): void {
	const written = LINE.exec(partsOf(changelog, version)[1])?.[1];
	if (written === checksum) return;
	throw new Error(
		`CHANGELOG.md has ${written === undefined ? 'no checksum' : `the checksum ${written}`} of ${version}, but the tarball has ${checksum}. Run: npm run checksum`,
	);
}

/** Returns a changelog in two parts: up to the heading of `version`, with it and an empty line, and the rest. */
function partsOf(changelog: string, version: string): [string, string] {
	const heading = changelog.indexOf(`\n## [${version}] - `);
	if (heading === -1) {
		throw new Error(
			`CHANGELOG.md has no heading "## [${version}] - <date>". Move the entries under "Unreleased" to one, or set the version in package.json.`,
		);
	}
	const end = changelog.indexOf('\n\n', heading + 1) + 2;
	return [changelog.slice(0, end), changelog.slice(end)];
}
