import { createInterface } from 'node:readline';
import type { GroupLeader } from './childProcess.ts';
import { ended, endGroup, spawnGroup } from './childProcess.ts';
import { inRepository } from './repository.ts';

interface ReadyLine {
	url: string;
	documentation: string;
	control: string;
}

/** A running sandbox: the service in small. */
export class SandboxProcess {
	readonly url: string;
	readonly documentation: string;
	readonly control: string;
	private readonly child: GroupLeader;

	private constructor(ready: ReadyLine, child: GroupLeader) {
		this.url = ready.url;
		this.documentation = ready.documentation;
		this.control = ready.control;
		this.child = child;
	}

	/** Starts it with command-line flags (`sandbox/README.md`). @throws Error with its complaint when it ends at once. */
	static async start(flags: readonly string[]): Promise<SandboxProcess> {
		const child = spawnGroup(inRepository('sandbox', 'src', 'main.ts'), flags);
		let complaint = '';
		child.stderr.setEncoding('utf8').on('data', (text: string) => {
			complaint = (complaint + text).slice(-4000);
		});
		const line = await Promise.race([
			new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve)),
			ended(child).then(() => {
				throw new Error(`The sandbox ended before it was ready:\n${complaint}`);
			}),
		]);
		child.stdout.resume();
		return new SandboxProcess(JSON.parse(line) as ReadyLine, child);
	}

	async stop(): Promise<void> {
		await endGroup(this.child);
	}
}
