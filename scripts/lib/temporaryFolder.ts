import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** Creates an empty folder of the system's temporary ones; the caller removes it. `use` tells what it is for. */
export async function temporaryFolder(use: string): Promise<string> {
	return await mkdtemp(path.join(os.tmpdir(), `lead-revenue-${use}-`));
}
