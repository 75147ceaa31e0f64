import path from 'node:path';
import type { Manifest } from './contents.ts';
import type { FreshN8n, InstalledPackage, KnownType } from './freshN8n.ts';

/** Returns the types that n8n must know once the package is installed. Files are named after their classes. */
export function expectedTypes({ name, n8n }: Manifest): Record<'nodes' | 'credentials', string[]> {
	return {
		nodes: fileNames(n8n.nodes).map((node) => `${name}.${camelCase(node)}`),
		credentials: fileNames(n8n.credentials).map(camelCase),
	};
}

/** Returns what n8n does not know of an installed package, or cannot show. One line per problem. */
export async function knownProblems(n8n: FreshN8n, manifest: Manifest, installed: InstalledPackage): Promise<string[]> {
	const { nodes, credentials } = expectedTypes(manifest);
	const problems = [
		...(await typeProblems(n8n, 'nodes', nodes)),
		...(await typeProblems(n8n, 'credentials', credentials)),
	];
	const listed = installed.installedNodes.map(({ type }) => type);
	for (const node of nodes) {
		if (!listed.includes(node)) problems.push(`n8n did not record ${node} as installed`);
	}
	if (installed.installedVersion !== manifest.version) {
		problems.push(`n8n recorded version ${installed.installedVersion} instead of ${manifest.version}`);
	}
	if (installed.failedLoading) problems.push('n8n says that the package failed to load');
	return problems;
}

async function typeProblems(n8n: FreshN8n, kind: 'nodes' | 'credentials', names: readonly string[]): Promise<string[]> {
	const types = await n8n.types(kind);
	const problems: string[] = [];
	for (const name of names) {
		const type = types.find((candidate) => candidate.name === name);
		if (type === undefined) {
			problems.push(`n8n does not know ${name} (types/${kind}.json)`);
			continue;
		}
		const icons = iconUrls(type);
		if (icons.length < 2) problems.push(`n8n has no light and dark icon for ${name}`);
		for (const icon of icons) {
			if (!(await n8n.servesIcon(icon))) problems.push(`n8n does not serve the icon of ${name}: ${icon}`);
		}
	}
	return problems;
}

function iconUrls({ iconUrl }: KnownType): string[] {
	if (iconUrl === undefined) return [];
	return typeof iconUrl === 'string' ? [iconUrl] : [iconUrl.light, iconUrl.dark];
}

function fileNames(files: readonly string[]): string[] {
	return files.map((file) => path.posix.basename(file).split('.')[0] as string);
}

function camelCase(className: string): string {
	return className[0]?.toLowerCase() + className.slice(1);
}
