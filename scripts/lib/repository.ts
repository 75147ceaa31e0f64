import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const NAME = 'n8n-nodes-lead-revenue';

function findRoot(from: string): string {
	const file = path.join(from, 'package.json');
	if (existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { name?: string }).name === NAME) return from;
	const parent = path.dirname(from);
	if (parent === from) throw new Error(`No ${NAME} checkout around ${process.cwd()}: run this from inside the clone.`);
	return findRoot(parent);
}

/** Absolute path of the checkout the current folder is in. */
export const ROOT = findRoot(process.cwd());

/** Name and version under which the package is published. */
export const PACKAGE = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
	name: string;
	version: string;
	n8n: { nodes: string[]; credentials: string[] };
};

/** Absolute path of something in the checkout. */
export function inRepository(...parts: string[]): string {
	return path.join(ROOT, ...parts);
}
