import { markdownTable } from '../lib/table.ts';
import type { Outcome } from './outcome.ts';
import type { RungResult } from './results.ts';

const BEGIN = '<!-- npm run versions writes from here -->';
const END = '<!-- to here -->';

/** Returns the page with these results between its markers. @throws Error without the markers. */
export function withTable(page: string, promises: Record<string, string>, results: readonly RungResult[]): string {
	const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
	if (from === -1 || to < from) throw new Error(`The page lacks the lines "${BEGIN}" and "${END}".`);
	const head = page.slice(0, from + BEGIN.length);
	const parts = [ranOn(results), ...everywhere(promises, results), ...later(promises, results)];
	return [head, ...parts, page.slice(to)].join('\n\n');
}

function ranOn(results: readonly RungResult[]): string {
	const versions = results.map(({ n8n }) => n8n).join(', ');
	const dates = results.map(({ date }) => date).toSorted();
	return `Run on ${versions}, last on ${dates.at(-1) ?? 'no day'}.`;
}

/** Whether the promise holds on every version. Results are from old to new. */
function holdsEverywhere(name: string, results: readonly RungResult[]): boolean {
	return results.length > 0 && results.every(({ outcomes }) => outcomes[name] === 'holds');
}

/** Returns a Markdown list of the promises that hold on every version; nothing without one. */
function everywhere(promises: Record<string, string>, results: readonly RungResult[]): string[] {
	const texts = Object.entries(promises).flatMap(([name, text]) => (holdsEverywhere(name, results) ? [text] : []));
	return texts.length === 0 ? [] : ['On all of them:', texts.map((text) => `- ${text}`).join('\n')];
}

/**
 * Returns a Markdown table of the other promises: from which n8n on each holds, and what happens before; nothing without
 * one.
 */
function later(promises: Record<string, string>, results: readonly RungResult[]): string[] {
	const rows = Object.entries(promises)
		.filter(([name]) => !holdsEverywhere(name, results))
		.map(([name, text]) => [text, holdsFrom(name, results), before(name, results)]);
	return rows.length === 0 ? [] : [markdownTable(['Promise', 'From', 'Before that'], rows)];
}

/** Returns the oldest version from which on the promise holds on every later one. */
function holdsFrom(name: string, results: readonly RungResult[]): string {
	const last = results.findLastIndex(({ outcomes }) => outcomes[name] !== 'holds');
	return results[last + 1]?.n8n ?? 'none';
}

/** Returns what happens on the versions before, those with the same outcome together. */
function before(name: string, results: readonly RungResult[]): string {
	const last = results.findLastIndex(({ outcomes }) => outcomes[name] !== 'holds');
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
	return typeof outcome === 'object' ? outcome.doesNotHold.replaceAll('|', '\\|') : outcome;
}
