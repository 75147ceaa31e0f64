import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const NAME = 'n8n-nodes-lead-revenue';

/** Absolute path of the clone that holds the working directory. */
export const ROOT = findRoot(process.cwd());

export const PACKAGE = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
	name: string;
	version: string;
	n8n: { nodes: string[]; credentials: string[] };
};

/** Returns the absolute path of a file in the clone. */
export function inRepository(...parts: string[]): string {
	return path.join(ROOT, ...parts);
}

function findRoot(from: string): string {
	const file = path.join(from, 'package.json');
	if (existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { name?: string }).name === NAME) return from;
	const parent = path.dirname(from);
	if (parent === from) throw new Error(`${process.cwd()} is not inside a clone of ${NAME}. Run this from the clone.`);
	return findRoot(parent);
}
