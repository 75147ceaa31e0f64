import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const PAGES = [
	...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'examples/README.md', 'sandbox/README.md'],
	...readdirSync('docs')
		.filter((file) => file.endsWith('.md'))
		.map((file) => `docs/${file}`),
];

/** The text outside code blocks. */
const proseOf = (page: string) => readFileSync(page, 'utf8').replace(/```[\s\S]*?```/g, '');

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\- _]/gu, '')
		.trim()
		.replaceAll(' ', '-');
}

function problemWith(page: string, link: string): string | undefined {
	const [file = '', anchor] = link.split('#');
	const target = file === '' ? page : path.join(path.dirname(page), file);
	if (!existsSync(target)) return `${page}: ${link} leads nowhere`;
	if (anchor === undefined) return undefined;
	const anchors = [...proseOf(target).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading as string));
	return anchors.includes(anchor) ? undefined : `${page}: ${link} leads to no heading of ${target}`;
}

describe('links between pages', () => {
	test.each(PAGES)('%s', (page) => {
		const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string);
		const problems = links.filter((link) => !/^[a-z]+:/.test(link)).map((link) => problemWith(page, link));
		expect(problems.filter(Boolean)).toEqual([]);
	});
});
