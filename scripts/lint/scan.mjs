// Runs the analysis of n8n's package scanner; its command accepts only published packages.
// Arguments: the scanner's module, the source, the unpacked tarball.
import { pathToFileURL } from 'node:url';

const [scanner, source, unpacked] = process.argv.slice(2);
const { analyzePackage, SOURCE_FILE_PATTERNS } = await import(pathToFileURL(scanner).href);
const results = {
	'the source': await analyzePackage(source, SOURCE_FILE_PATTERNS),
	'the tarball': await analyzePackage(unpacked, ['**/*.js', 'package.json']),
};
for (const [what, { passed, message, details }] of Object.entries(results)) {
	if (!passed) process.stdout.write(`n8n's scanner on ${what}: ${message}\n${details ?? ''}\n`);
	if (passed && message) process.stdout.write(`n8n's scanner on ${what}: ${message}\n`);
}
process.exitCode = Object.values(results).every(({ passed, message }) => passed && !message) ? 0 : 1;
