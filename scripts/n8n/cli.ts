import type { CommandResult } from '../lib/command.ts';
import { runCommand } from '../lib/command.ts';
import { freePort } from '../lib/ports.ts';
import { n8nEnvironment } from './environment.ts';
import type { Installation } from './installation.ts';

/** Runs an n8n command such as `execute --id=…` until it ends. It may share the folder with a running n8n. */
export async function runN8nCommand(
	installation: Installation,
	userFolder: string,
	args: readonly string[],
	env: NodeJS.ProcessEnv = {},
): Promise<CommandResult> {
	const brokerPort = await freePort();
	return await runCommand(process.execPath, [installation.command, ...args], {
		cwd: userFolder,
		env: { ...n8nEnvironment(userFolder), N8N_RUNNERS_BROKER_PORT: String(brokerPort), ...env },
	});
}
