import { mustRun } from '../lib/command.ts';
import { inRepository } from '../lib/repository.ts';

await mustRun(process.execPath, [
	inRepository('node_modules', 'prettier', 'bin', 'prettier.cjs'),
	'--write',
	'--log-level',
	'warn',
	'.',
]);
