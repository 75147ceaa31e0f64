import { pathToFileURL } from 'node:url';
import { runCommand } from '../../scripts/lib/command.ts';

/**
 * Runs code in a Node with a heap of `mb` megabytes, and returns what it prints. A heap that is too small ends the process.
 * @param file a file of nodes/ that imports no other; the code has what it exports as `it`.
 */
export async function inSmallHeap(mb: number, file: string, code: string): Promise<string> {
	const script = `import(${JSON.stringify(pathToFileURL(file).href)}).then(async (it) => { ${code} });`;
	const args = ['--no-warnings', '--experimental-strip-types', `--max-old-space-size=${mb}`, '-e', script];
	return (await runCommand(process.execPath, args)).stdout;
}
