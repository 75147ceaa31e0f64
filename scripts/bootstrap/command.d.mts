export interface NpmOptions {
	cwd: string;
	env: NodeJS.ProcessEnv;
	nodeCommand?: string;
	verbose?: boolean;
	what: string;
	hint: string;
}
export function npm(args: readonly string[], options: NpmOptions): Promise<void>;
