import { checkChecksum, withChecksum } from '../../../../scripts/verify/checksum.ts';

const CHANGELOG = `# Changelog

## [Unreleased]

## [0.3.0] - 2026-12-01

### Added

- Something, unlike 0.2.0.

## [0.2.0] - 2026-11-22

### Added
`;

describe('the checksum of a release in the changelog', () => {
	const once = withChecksum(CHANGELOG, '0.3.0', 'sha512-one==');

	test('stands below the heading of its version', () => {
		expect(once).toBe(CHANGELOG.replace('12-01\n\n', '12-01\n\nChecksum: `sha512-one==`\n\n'));
	});

	test('is replaced, not added, by another one', () => {
		expect(withChecksum(once, '0.3.0', 'sha512-other==')).toBe(once.replace('sha512-one==', 'sha512-other=='));
	});

	test('is that of the tarball, or publishing fails', () => {
		expect(() => checkChecksum(once, '0.3.0', 'sha512-one==')).not.toThrow();
		const message = 'has the checksum sha512-one== of 0.3.0, but the tarball has sha512-other==. Run: npm run checksum';
		expect(() => checkChecksum(once, '0.3.0', 'sha512-other==')).toThrow(message);
		expect(() => checkChecksum(CHANGELOG, '0.3.0', 'sha512-one==')).toThrow('has no checksum of 0.3.0');
		expect(() => checkChecksum(once, '0.2.0', 'sha512-one==')).toThrow('has no checksum of 0.2.0');
	});

	test.each(['0.4.0', '0.3', '0.30', '0x3.0'])('of %s, which has no heading, is an error', (version) => {
		expect(() => withChecksum(CHANGELOG, version, 'sha512-one==')).toThrow(`no heading "## [${version}] - <date>"`);
	});
});
