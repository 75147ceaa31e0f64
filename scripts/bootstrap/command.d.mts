export interface NpmOptions {
	cwd: string;
	env: NodeJS.ProcessEnv;
	nodeCommand?: string;
	verbose?: boolean;
}
export function npmInstall(
	args: readonly string[],
	options: NpmOptions & { what: string; hint: string },
): Promise<void>;
export function npmBuild(addon: string, options: NpmOptions): Promise<void>;
