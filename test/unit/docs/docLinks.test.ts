import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const PAGES = [
	...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/results.md'],
	...globSync(['{examples,sandbox,hosts}/README.md', '{nodes,test}/**/README.md', 'docs/*.md']),
];

const HOMEPAGE = 'https://github.com/n8n-nodes-lead-revenue/n8n-nodes-lead-revenue';

/** What n8n's editor opens for a node or a credential, and the pages that are about it. */
const OPENED_BY_N8N: Array<[source: string, ...pages: string[]]> = [
	['nodes/CreateKeywordAutomation/CreateKeywordAutomation.node.json', 'create-keyword-automation', 'credentials'],
	['nodes/GetRevenue/GetRevenue.node.json', 'get-revenue', 'credentials'],
	['nodes/ListLeads/ListLeads.node.json', 'list-leads', 'credentials'],
	['nodes/ManualRecordTrigger/ManualRecordTrigger.node.json', 'triggers', 'credentials'],
	['nodes/TagLead/TagLead.node.json', 'tag-lead', 'credentials'],
	['nodes/TransactionTrigger/TransactionTrigger.node.json', 'triggers', 'credentials'],
	['credentials/LeadRevenueApi.credentials.ts', 'credentials'],
	['credentials/LeadRevenueOAuth2Api.credentials.ts', 'oauth2'],
];

/** Returns the text outside code blocks. */
const proseOf = (page: string) => readFileSync(page, 'utf8').replace(/```[\s\S]*?```/g, '');

/** Returns the anchor that GitHub gives a heading. */
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

test.each(PAGES)('links between pages: %s', (page) => {
	const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string);
	const problems = links.filter((link) => !/^[a-z]+:/.test(link)).map((link) => problemWith(page, link));
	expect(problems.filter(Boolean)).toEqual([]);
});

test('each version in the changelog has a link to its changes', () => {
	const changelog = readFileSync('CHANGELOG.md', 'utf8');
	const versions = [...changelog.matchAll(/^## \[(.+?)\]/gm)].map(([, version]) => version);
	expect(versions).toContain('0.2.0');
	expect([...changelog.matchAll(/^\[(.+?)\]: /gm)].map(([, version]) => version)).toEqual(versions);
});

test('each picture is on a page', () => {
	const shown = PAGES.flatMap((page) =>
		[...proseOf(page).matchAll(/!\[.+?\]\((\S+)\)/g)].map(([, link]) => path.join(path.dirname(page), link as string)),
	);
	expect(shown.sort()).toEqual(globSync('docs/images/**/*.png').sort());
});

describe('links from the editor', () => {
	const sources = globSync('{nodes,credentials}/**/*.{node.json,credentials.ts}');

	test('are known', () => {
		expect(sources.sort()).toEqual(OPENED_BY_N8N.map(([source]) => source).sort());
	});

	test.each(OPENED_BY_N8N)('%s', (source, ...pages) => {
		const urls = readFileSync(source, 'utf8').match(/https:\/\/github\.com\/[^'"]+/g) ?? [];
		expect(urls).toEqual(pages.map((page) => `${HOMEPAGE}/blob/main/docs/${page}.md`));
		const links = urls.map((url) => url.replace(`${HOMEPAGE}/blob/main/`, ''));
		expect(links.map((link) => problemWith('README.md', link)).filter(Boolean)).toEqual([]);
	});
});
