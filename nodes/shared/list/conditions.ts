import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { isObject } from '../isObject';
import { readDateTime, timeOf } from '../parameters/dates';
import { AS_EXPRESSION } from '../parameters/editorLists';
import { emptyPart, expressionAt, readOptional, valueAt } from '../parameters/expressions';
import type { ItemParameters } from '../parameters/itemParameters';
import type { Place } from '../parameters/read';
import { isExactNumber, isNothing, parameterError, readChoice, trimmed, wrongValue } from '../parameters/read';
import { runsAsTool } from '../service/context';
import { compareDecimals, decimalOf } from './decimals';
import { PATHS_METHOD } from './editorFields';
import type { Holds } from './matches';
import { comparing, contains, is, isEmpty, not } from './matches';

type Part = 'field' | 'condition' | 'value';

const CONDITIONS = 'Only Records That Match';

/** Returns the name of a condition's part as the user sees it. Conditions are numbered from 1. */
export function partName(part: Part, number: number): string {
	return `${CONDITIONS}, ${part} ${number}`;
}

function pathTo(part: Part, number: number): string {
	return `conditions.all.${number - 1}.${part}`;
}

export interface Condition {
	number: number;
	/** The path of the field (see valuesAt). */
	path: string;
	holds: Holds;
	/** Whether the user asks for records without the field. */
	findsAbsent: boolean;
}

/** A comparison of a field with a value. `kind` selects the parameter in which the user enters the value. */
interface Compared {
	kind: 'text' | 'date';
	read(parameters: ItemParameters, displayName: string, value: unknown): Holds;
}

type Choice = { name: string; description?: string } & (Compared | { holds: Holds });

function withText(holds: (text: string) => Holds): Compared {
	const read: Compared['read'] = (place, displayName, value) => {
		if (typeof value === 'string' || typeof value === 'boolean' || isExactNumber(value)) return holds(String(value));
		throw wrongValue(place, displayName, 'is not text', value, 'Enter a text or a number.');
	};
	return { kind: 'text', read };
}

/** Makes a comparison of numbers. @param isWanted gets an order: negative if the field's number is less than the condition's. */
function withNumber(isWanted: (order: number) => boolean): Compared {
	const read: Compared['read'] = (place, displayName, value) => {
		const number = decimalOf(value);
		const next = 'Enter a number such as 49.90.';
		if (number === undefined) throw wrongValue(place, displayName, 'is not a number', value, next);
		return comparing('a number', decimalOf, (other) => isWanted(compareDecimals(other, number)));
	};
	return { kind: 'text', read };
}

/** Makes a comparison of times. @param isWanted gets an order: negative if the field's time is before the condition's. */
function withTime(isWanted: (order: number) => boolean): Compared {
	const read: Compared['read'] = (parameters, displayName, value) => {
		const { zone } = parameters;
		const moment = Date.parse(readDateTime(parameters, displayName, value, zone));
		const time = timeOf(value, zone) ?? moment;
		const timeIn = (other: unknown) => timeOf(other, zone);
		return comparing('a date', timeIn, (other) => isWanted(other - time));
	};
	return { kind: 'date', read };
}

/** The choices by value. The values are those of n8n's Filter node. */
const CHOICES: ReadonlyMap<string, Choice> = new Map<string, Choice>([
	['contains', { name: 'Contains', description: 'Text inside the field', ...withText(contains) }],
	['equals', { name: 'Is', description: 'Upper and lower case are the same', ...withText(is) }],
	['notEquals', { name: 'Is Not', description: 'Also if the field is missing', ...withText((text) => not(is(text))) }],
	['gt', { name: 'Is Greater Than', ...withNumber((order) => order > 0) }],
	['lt', { name: 'Is Less Than', ...withNumber((order) => order < 0) }],
	['after', { name: 'Is After', ...withTime((order) => order > 0) }],
	['before', { name: 'Is Before', ...withTime((order) => order < 0) }],
	['empty', { name: 'Is Empty', description: 'Also if the field is missing', holds: isEmpty }],
	['notEmpty', { name: 'Is Not Empty', holds: not(isEmpty) }],
]);

// n8n's guidelines require options sorted by name.
const OPTIONS: INodePropertyOptions[] = [...CHOICES]
	.map(([value, { name, description }]) => ({ name, value, ...(description !== undefined && { description }) }))
	.sort((a, b) => a.name.localeCompare(b.name));

function shownFor(kind: Compared['kind']) {
	const conditions = [...CHOICES].filter(([, choice]) => 'kind' in choice && choice.kind === kind);
	return { show: { condition: conditions.map(([value]) => value) } };
}

export function conditionsField(what: string): INodeProperties {
	return {
		displayName: CONDITIONS,
		name: 'conditions',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add condition',
		default: {},
		description: `Conditions that a ${what} must meet, all of them. The list is read until enough match; the others take no memory.`,
		builderHint: {
			propertyHint: `To find one ${what}, such as by email, set a condition and limit 1 instead of reading all and filtering.`,
		},
		options: [
			{
				displayName: 'Condition',
				name: 'all',
				values: [
					{
						displayName: 'Field',
						name: 'field',
						type: 'options',
						typeOptions: { loadOptionsMethod: PATHS_METHOD, loadOptionsDependsOn: ['operation'] },
						// Without this setting, the editor marks a field that is not in its list as wrong.
						allowArbitraryValues: true,
						default: '',
						description: `A dot reaches inside a field: profile.email. Choose from the list, or enter a field that is not in it ${AS_EXPRESSION}.`,
					},
					{
						displayName: 'Condition',
						name: 'condition',
						type: 'options',
						noDataExpression: true,
						options: OPTIONS,
						default: 'equals',
						description:
							'What must be true of the field. In a list, one entry is enough; for Is Not and Is Empty, all entries must meet it.',
					},
					{
						displayName: 'Value',
						name: 'value',
						type: 'string',
						displayOptions: shownFor('text'),
						default: '',
						description: 'What the field is compared with',
					},
					{
						displayName: 'Date',
						name: 'value',
						type: 'dateTime',
						displayOptions: shownFor('date'),
						default: '',
						description: "A time without an offset is read in the workflow's time zone",
					},
				],
			},
		],
	};
}

/** The option to let an agent choose the fields. One click, or n8n's workflow builder, lets an agent set any other parameter. */
export const agentMayChooseFieldsField: INodeProperties = {
	displayName: 'Agent May Choose Fields',
	name: 'agentMayChooseFields',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	displayOptions: { show: { '@tool': [true] } },
	description:
		'Whether expressions, and so the agent, may choose the fields of conditions. It can then learn from matches what is in any field, even in one that Output leaves out.',
};

/** Reads the rows of conditionsField. Without rows, all records match. */
export function readConditions(parameters: ItemParameters): Condition[] {
	const value = parameters.get('conditions');
	if (isNothing(value)) return [];
	const rows = isObject(value) ? (value.all ?? []) : value;
	if (Array.isArray(rows) && rows.every(isObject)) {
		return rows.map((row, index) => readCondition(parameters, row, index + 1));
	}
	throw wrongValue(parameters, CONDITIONS, 'is not a list of conditions', value, 'Add the conditions one by one.');
}

function readCondition(parameters: ItemParameters, row: Partial<Record<Part, unknown>>, number: number): Condition {
	rejectChoiceOfAgent(parameters, number);
	const path = readPath(parameters, row.field, number);
	// n8n omits a value that is the default.
	const entered = row.condition ?? 'equals';
	const condition = readChoice(parameters, partName('condition', number), entered, [...CHOICES.keys()]);
	const choice = CHOICES.get(condition) as Choice;
	const holds = 'holds' in choice ? choice.holds : readCompared(parameters, choice, row.value, number);
	return { number, path, holds, findsAbsent: condition === 'empty' };
}

function readPath(place: Place, field: unknown, number: number): string {
	const displayName = partName('field', number);
	const value = readOptional(place, displayName, field, pathTo('field', number));
	if (isNothing(value)) {
		throw parameterError(place, displayName, 'is empty', 'Choose a field, or remove the condition.');
	}
	if (typeof value === 'string') return trimmed(value);
	const next = 'Enter the name of a field, such as email or profile.email.';
	throw wrongValue(place, displayName, 'is not a field name', value, next);
}

function readCompared(parameters: ItemParameters, { read }: Compared, value: unknown, number: number): Holds {
	const displayName = partName('value', number);
	const path = pathTo('value', number);
	const entered = readOptional(parameters, displayName, value, path);
	if (isNothing(entered)) {
		const next = 'Enter a value. To find records without one, use the condition Is Empty.';
		throw parameterError(parameters, displayName, 'is empty', next);
	}
	const part = emptyPart(parameters, path);
	if (part === undefined) return read(parameters, displayName, entered);
	const next = `${part} returns nothing. Check it for a misspelled or missing field.`;
	throw parameterError(parameters, displayName, 'has a part that returns nothing', next);
}

function rejectChoiceOfAgent(place: Place, number: number): void {
	const { node } = place;
	if (!runsAsTool(node) || valueAt(node.parameters, 'options.agentMayChooseFields') === true) return;
	const parts: Part[] = ['field', 'condition'];
	const part = parts.find((name) => expressionAt(place, pathTo(name, number)) !== undefined);
	if (part === undefined) return;
	const next =
		'Nothing was sent. Only the person who built this tool can permit it, with "Agent May Choose Fields" under Options.';
	throw parameterError(place, partName(part, number), 'is not for the agent to choose', next);
}
