import type { IDataObject } from 'n8n-workflow';

/** What an expression can read, for one item. */
export interface View {
	$json: IDataObject;
	$itemIndex: number;
	$runIndex: number;
	$execution: { id: string };
	/** The item of the node Start that an item comes from. */
	start: IDataObject;
	fromAi?: (name: string) => unknown;
	/** Differ with each evaluation. */
	now: () => string;
	random: () => number;
}

/** A parameter as a user writes it, and what docs/idempotency.md says about it. */
export interface Written {
	text: string;
	/** Whether an expression in it computes something, instead of reading a field. */
	isComputed: boolean;
	/** The fields that it names. */
	names: string[];
}

export const fixed = (text: string): Written => ({ text, isComputed: false, names: [] });
export const computed = (text: string, ...names: string[]): Written => ({ text, isComputed: true, names });

/** Texts for a name or an ID. */
export const TEXTS: Written[] = [
	fixed('={{ $json.name }}'),
	fixed('plain'),
	fixed("={{ $('Start').item.json.name }}"),
	fixed('=Hello-{{ $json.name }}'),
	fixed('={{ $json.seen }}'),
	computed('={{ $json.name }}-{{ $now }}', '$json.name'),
	computed('={{ $now }}'),
	computed('={{ $execution.id }}'),
	computed('={{ $json.name.toUpperCase() }}', '$json.name'),
	computed('={{ Math.random() }}-{{ $json.name }}', '$json.name'),
	computed("={{ $json['na' + 'me'] }}", '$json'),
	computed('={{ $itemIndex }}'),
	computed('={{ $runIndex }}-{{ $json.name }}', '$json.name'),
	computed('={{ $json.none ?? $json.name }}', '$json.none', '$json.name'),
	computed("={{ $('Start').item.json.name + '-' + $json.seen }}", "$('Start').item.json.name", '$json.seen'),
];

/** Texts for a name or an ID that a model chooses. */
export const TOOL_TEXTS: Written[] = [
	fixed("={{ $fromAI('title', '', 'string') }}"),
	fixed('plain'),
	computed("={{ $fromAI('title', '', 'string') }}-{{ $now }}", "$fromAI('title', '', 'string')"),
	computed("={{ $fromAI('title', '', 'string').toUpperCase() }}", "$fromAI('title', '', 'string')"),
];

/** Texts of the option Idempotency Key; the first is none. */
export const OWN_KEYS: Written[] = [
	fixed(''),
	fixed('={{ $json.name }}'),
	fixed("=order-{{ $('Start').item.json.name }}"),
	fixed('one for all'),
	fixed('={{ $json.uuid }}'),
	computed('={{ $json.name }}-{{ $execution.id }}', '$json.name'),
	computed('={{ $json.name.trim() }}', '$json.name'),
	computed('={{ $now }}'),
	fixed('={{ $json.missing }}'),
];

type Code = (...values: unknown[]) => unknown;

const NAMES = ['$json', '$itemIndex', '$runIndex', '$execution', '$', '$now', 'Math', '$fromAI'];
const codes = new Map<string, Code>();

function codeOf(text: string): Code {
	const known = codes.get(text) ?? (new Function(...NAMES, `return (${text});`) as Code);
	codes.set(text, known);
	return known;
}

function run(code: string, view: View): unknown {
	const { $json, $itemIndex, $runIndex, $execution, start, fromAi, now, random } = view;
	const $ = () => ({ item: { json: start } });
	try {
		return codeOf(code)($json, $itemIndex, $runIndex, $execution, $, now(), { random }, fromAi);
	} catch (error) {
		// n8n returns nothing for a TypeError, such as that of a method of a missing field.
		if (error instanceof TypeError) return undefined;
		throw error;
	}
}

/**
 * Returns the value of a text with expressions, with or without the leading `=`. One that is a single expression keeps its
 * type.
 */
export function evaluated(text: string, view: View): unknown {
	const body = text.startsWith('=') ? text.slice(1) : text;
	const only = /^\{\{((?:(?!\}\}).)*)\}\}$/s.exec(body.trim());
	if (only !== null) return run(only[1]!, view);
	return body.replaceAll(/\{\{(.*?)\}\}/gs, (_all, code: string) => String(run(code, view) ?? ''));
}

/** Returns the value of a parameter as the workflow has it. */
export function valueOf(parameter: unknown, view: View): unknown {
	if (typeof parameter === 'string') return parameter.startsWith('=') ? evaluated(parameter, view) : parameter;
	if (Array.isArray(parameter)) return parameter.map((part: unknown) => valueOf(part, view));
	if (typeof parameter !== 'object' || parameter === null) return parameter;
	return Object.fromEntries(Object.entries(parameter).map(([name, part]) => [name, valueOf(part, view)]));
}
