import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { inRepository } from '../../../scripts/lib/repository.ts';

const CODE = '{nodes,credentials,scripts,bench,test,sandbox/src}/**/*.{ts,mjs,cjs}';
const TEXTS = '{README.md,SECURITY.md,docs/*.md,examples/*.md,sandbox/README.md,nodes/**/*.md,test/**/*.md}';

/** Words that the glossary (CONTRIBUTING.md) has another for, anywhere in code and docs. */
const WORDS = /\w*(answer|refus|doubt)\w*/gi;

/** Names of variables, functions and types; as words of a comment they are plain English. */
const NAMES = /\b(give|gives|given|gave|giving|takeBack|takenBack)\b/;

/** A docstring that begins so leaves out the noun that it is about. */
const NO_SUBJECT = /\/\*\*(?:\s*\n\s*\*)? (?:Of|Those|That|With it|As)\b.*/g;

// Each is not ours to choose.
const ALLOWED = [
	// A field of the items that Tag Lead and Create Keyword Automation return: workflows read it.
	/["'`]answer["'`]|"answer"|comes under "answer"|\banswer: /g,
	// What the operating system says.
	/connection refused|ECONNREFUSED/g,
	// What 0.2.0 stored with a failed execution.
	/refused\?: boolean|refused = false|\(refused &&|refused: true/g,
];

function namesIn(file: string, text: string): string[] {
	const names: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isIdentifier(node) && NAMES.exec(node.text)?.[0] === node.text) names.push(node.text);
		ts.forEachChild(node, visit);
	};
	if (NAMES.test(text)) visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
	return names;
}

function filesOf(pattern: string): string[] {
	return globSync(pattern, { cwd: inRepository() }).filter(
		(file) => !file.includes('node_modules') && !file.endsWith('glossary.test.ts'),
	);
}

function rejectedIn(file: string): string[] {
	const text = readFileSync(inRepository(file), 'utf8');
	const words = ALLOWED.reduce((rest, allowed) => rest.replace(allowed, ''), text).match(WORDS) ?? [];
	return [...words, ...(file.endsWith('.md') ? [] : namesIn(file, text))].map((word) => `${file}: ${word}`);
}

test.each([
	['code', CODE, 400],
	['docs', TEXTS, 25],
])('%s has no word that the glossary rejects', (_name, pattern, atLeast) => {
	const files = filesOf(pattern);
	expect(files.length).toBeGreaterThan(atLeast);
	expect(files.flatMap(rejectedIn)).toEqual([]);
});

test('no docstring begins without its subject', () => {
	const files = filesOf(CODE);
	expect(files.length).toBeGreaterThan(400);
	const without = files.flatMap((file) =>
		(readFileSync(inRepository(file), 'utf8').match(NO_SUBJECT) ?? []).map((begins) => `${file}: ${begins}`),
	);
	expect(without).toEqual([]);
});

test('the glossary has at most 30 words', () => {
	const [, glossary = ''] = readFileSync(inRepository('CONTRIBUTING.md'), 'utf8').split('## Glossary');
	const words = [...glossary.matchAll(/^\| ([a-z ]+?) +\|/gm)].map(([, word]) => word);
	expect(words).toContain('idempotency key');
	expect(words.length).toBeLessThanOrEqual(30);
});
