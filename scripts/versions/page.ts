import type { Outcome } from './outcome.ts';
import type { RungResult } from './results.ts';

const BEGIN = '<!-- npm run versions writes from here -->';
const END = '<!-- to here -->';

/** The page with these results between its markers. @throws Error without the markers. */
export function withTable(page: string, promises: Record<string, string>, results: readonly RungResult[]): string {
	const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
	if (from === -1 || to < from) throw new Error(`The page lacks the lines "${BEGIN}" and "${END}".`);
	const head = page.slice(0, from + BEGIN.length);
	return `${head}\n\n${ranOn(results)}\n\n${resultTable(promises, results)}\n\n${page.slice(to)}`;
}

function ranOn(results: readonly RungResult[]): string {
	const versions = results.map(({ n8n }) => n8n).join(', ');
	const dates = results.map(({ date }) => date).toSorted();
	return `Run on ${versions}, last on ${dates.at(-1) ?? 'no day'}.`;
}

/** A Markdown table of which promise holds from which n8n on, and what happens before. Results are from old to new. */
function resultTable(promises: Record<string, string>, results: readonly RungResult[]): string {
	const rows = Object.entries(promises).map(([name, text]) => [text, holdsFrom(name, results), before(name, results)]);
	const cells = [['Promise', 'Holds from n8n', 'Before that'], ...rows];
	const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => (row[column] as string).length)));
	const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] as number)).join(' | ')} |`;
	const [header, ...body] = cells.map(line);
	return [header, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n');
}

/** The oldest version from which on the promise holds on every later one. */
function holdsFrom(name: string, results: readonly RungResult[]): string {
	const last = results.findLastIndex(({ outcomes }) => outcomes[name]?.result !== 'holds');
	return results[last + 1]?.n8n ?? 'none';
}

/** What happens on the versions before, those with the same outcome together. */
function before(name: string, results: readonly RungResult[]): string {
	const last = results.findLastIndex(({ outcomes }) => outcomes[name]?.result !== 'holds');
	const groups: Array<{ text: string; versions: string[] }> = [];
	for (const { n8n, outcomes } of results.slice(0, last + 1)) {
		const text = textOf(outcomes[name]);
		if (groups.at(-1)?.text !== text) groups.push({ text, versions: [] });
		groups.at(-1)?.versions.push(n8n);
	}
	return groups.map(({ text, versions }) => `${range(versions)}: ${text}`).join('; ');
}

function range(versions: readonly string[]): string {
	return versions.length === 1 ? (versions[0] as string) : `${versions[0]} to ${versions.at(-1)}`;
}

function textOf(outcome: Outcome | undefined): string {
	if (outcome === undefined) return 'not tested';
	// A bar would end the cell.
	return outcome.result === 'does not hold' ? outcome.why.replaceAll('|', '\\|') : outcome.result;
}
