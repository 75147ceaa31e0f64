import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { mustRun } from '../lib/command.ts';
import { inRepository } from '../lib/repository.ts';

const DOCUMENT = inRepository('sandbox', 'openapi', 'service.yaml');
const TYPES = inRepository('nodes', 'shared', 'service', 'apiTypes.ts');

/** Writes the record types of the nodes from the service's OpenAPI document. */
export async function generateTypes(file = TYPES): Promise<void> {
	await mustRun(process.execPath, [
		inRepository('node_modules', 'openapi-typescript', 'bin', 'cli.js'),
		DOCUMENT,
		'-o',
		file,
	]);
}

/** @throws Error when the record types do not match the OpenAPI document. */
export async function checkTypes(): Promise<void> {
	const folder = await mkdtemp(path.join(os.tmpdir(), 'lead-revenue-types-'));
	const fresh = path.join(folder, 'apiTypes.ts');
	await generateTypes(fresh);
	const same = (await readFile(fresh, 'utf8')) === (await readFile(TYPES, 'utf8'));
	await rm(folder, { recursive: true, force: true });
	if (!same)
		throw new Error(
			'nodes/shared/service/apiTypes.ts does not match sandbox/openapi/service.yaml. Run: npm run generate',
		);
}
