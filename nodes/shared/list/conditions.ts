import type { INodeProperties } from 'n8n-workflow';
import { readDateTime } from '../parameters/dates';
import { emptyPart, expressionAt, readOptional } from '../parameters/expressions';
import type { ItemParameters, Place } from '../parameters/read';
import { isNothing, parameterError, shown, trimmed, unknownValue } from '../parameters/read';
import { runsAsTool } from '../service/context';
import { decimalOf } from './decimals';
import type { Holds } from './matches';
import { contains, is, isAfter, isBefore, isEmpty, isGreaterThan, isLessThan, not } from './matches';
import { inheritedName } from './paths';

/** The method in a node's `loadOptions` that lists the paths of the fields of its records. */
export const LIST_PATHS = 'getPaths';

/** The name of the parameter, as the user sees it. */
export const CONDITIONS = 'Only Records That Match';

/** A condition of the user on one field of a record. */
export interface Condition {
	/** For messages, from 1. */
	number: number;
	/** The field, see valuesAt. */
	path: string;
	holds: Holds;
	/** Whether records without the field are what the user asks for. */
	findsAbsent: boolean;
}

/** Reads the value that a record is compared with. @throws NodeOperationError that names the value and the item. */
type ReadValue = (place: Place, displayName: string, value: unknown, zone: string) => Holds;

const ON_TEXT: Record<string, (text: string) => Holds> = {
	contains,
	equals: is,
	notEquals: (text) => not(is(text)),
};
const ON_NUMBER = { gt: isGreaterThan, lt: isLessThan };
const ON_TIME = { after: isAfter, before: isBefore };
const WITHOUT_VALUE: Record<string, Holds> = { empty: isEmpty, notEmpty: not(isEmpty) };

const READ_VALUE: Record<string, ReadValue> = {
	...mapped(ON_TEXT, (holds) => (place, displayName, value) => holds(readComparedText(place, displayName, value))),
	...mapped(ON_NUMBER, (holds) => (place, displayName, value) => holds(readComparedNumber(place, displayName, value))),
	...mapped(ON_TIME, (holds) => (place, displayName, value, zone) => {
		const time = readDateTime(place, displayName, value, zone) as string;
		return holds(Date.parse(time), zone);
	}),
};

/** The conditions, shown under the conditions of their operation. Their values are those of n8n's Filter node. */
export function conditionFields(what: string, show: Record<string, string[]> = {}): INodeProperties[] {
	return [
		{
			displayName: CONDITIONS,
			name: 'conditions',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add condition',
			default: {},
			...(Object.keys(show).length > 0 && { displayOptions: { show } }),
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
							typeOptions: {
								loadOptionsMethod: LIST_PATHS,
								...('operation' in show && { loadOptionsDependsOn: ['operation'] }),
							},
							// Otherwise the editor marks a field as wrong that the records it has read lack.
							allowArbitraryValues: true,
							default: '',
							description:
								'A dot reaches inside a field: profile.email. Choose from the list, or enter a field that is not in it as an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
						},
						{
							displayName: 'Condition',
							name: 'condition',
							type: 'options',
							noDataExpression: true,
							options: [
								{ name: 'Contains', value: 'contains', description: 'Text inside the field' },
								{ name: 'Is', value: 'equals', description: 'Upper and lower case are the same' },
								{ name: 'Is After', value: 'after' },
								{ name: 'Is Before', value: 'before' },
								{ name: 'Is Empty', value: 'empty', description: 'Also if the field is missing' },
								{ name: 'Is Greater Than', value: 'gt' },
								{ name: 'Is Less Than', value: 'lt' },
								{ name: 'Is Not', value: 'notEquals', description: 'Also if the field is missing' },
								{ name: 'Is Not Empty', value: 'notEmpty' },
							],
							default: 'equals',
							description: 'What must be true of the field. Of a list, it must be true of any entry.',
						},
						{
							displayName: 'Value',
							name: 'value',
							type: 'string',
							displayOptions: { show: { condition: [...Object.keys(ON_TEXT), ...Object.keys(ON_NUMBER)] } },
							default: '',
							description: 'What the field is compared with',
						},
						{
							displayName: 'Date',
							name: 'value',
							type: 'dateTime',
							displayOptions: { show: { condition: Object.keys(ON_TIME) } },
							default: '',
							description: "A time without an offset is read in the workflow's time zone",
						},
					],
				},
			],
		},
	];
}

/** What it takes for an agent to decide on the fields. n8n offers the agent every parameter, with one click or by its builders. */
export const agentMayChooseFieldsField: INodeProperties = {
	displayName: 'Agent May Choose Fields',
	name: 'agentMayChooseFields',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	displayOptions: { show: { '@tool': [true] } },
	description:
		'Whether expressions, and so the agent, may choose the fields of conditions. It can then learn from matches what is in any field, also in one that Output leaves out.',
};

/**
 * Reads the rows of the field above; none for all records.
 * @throws NodeOperationError that names the part of a row and the item.
 */
export function readConditions(parameters: ItemParameters): Condition[] {
	const value = parameters.get('conditions');
	if (isNothing(value)) return [];
	const rows = typeof value === 'object' ? ((value as { all?: unknown }).all ?? []) : undefined;
	if (!Array.isArray(rows)) throw notRows(parameters, value);
	return rows.map((row: unknown, index) => {
		if (typeof row !== 'object' || row === null) throw notRows(parameters, value);
		return readCondition(parameters, row as Row, index);
	});
}

interface Row {
	field?: unknown;
	condition?: unknown;
	value?: unknown;
}

function readCondition(parameters: ItemParameters, row: Row, index: number): Condition {
	const number = index + 1;
	rejectChoiceOfAgent(parameters, index);
	const path = readPath(
		parameters,
		number,
		readOptional(parameters, `${CONDITIONS}, field ${number}`, row.field, pathTo(index, 'field')),
	);
	// n8n leaves out a default.
	const condition = row.condition ?? 'equals';
	const holds = typeof condition === 'string' ? readHolds(parameters, condition, row.value, index) : undefined;
	if (holds !== undefined) return { number, path, holds, findsAbsent: condition === 'empty' };
	const known = [...Object.keys(READ_VALUE), ...Object.keys(WITHOUT_VALUE)];
	const displayName = `${CONDITIONS}, condition ${number}`;
	throw unknownValue(parameters, displayName, 'has a value that this node does not know', condition, known);
}

function readPath(place: Place, number: number, value: unknown): string {
	const displayName = `${CONDITIONS}, field ${number}`;
	if (isNothing(value))
		throw parameterError(place, displayName, 'is empty', 'Choose a field, or remove the condition.');
	if (typeof value !== 'string') {
		const next = `It is ${shown(value)}. Enter the name of a field, such as email or profile.email.`;
		throw parameterError(place, displayName, 'is not a field name', next);
	}
	const path = trimmed(value);
	const inherited = inheritedName(path);
	if (inherited === undefined) return path;
	throw parameterError(place, displayName, `cannot be ${inherited}`, 'Every object inherits this name. Use a field.');
}

/** @returns `undefined` for an unknown condition. */
function readHolds(parameters: ItemParameters, condition: string, value: unknown, index: number): Holds | undefined {
	if (Object.hasOwn(WITHOUT_VALUE, condition)) return WITHOUT_VALUE[condition];
	if (!Object.hasOwn(READ_VALUE, condition)) return undefined;
	const displayName = `${CONDITIONS}, value ${index + 1}`;
	const path = pathTo(index, 'value');
	const entered = readOptional(parameters, displayName, value, path);
	if (isNothing(entered)) {
		const next = 'Enter a value. To find records without one, use the condition Is Empty.';
		throw parameterError(parameters, displayName, 'is empty', next);
	}
	const part = emptyPart(parameters, path);
	if (part === undefined) return READ_VALUE[condition]?.(parameters, displayName, entered, parameters.zone);
	const next = `${part} returns nothing. Check it for a misspelled or missing field.`;
	throw parameterError(parameters, displayName, 'has a part that returns nothing', next);
}

/** A number or a boolean becomes text. A number beyond 2^53 was rounded, and may be in another record. */
function readComparedText(place: Place, displayName: string, value: unknown): string {
	const wasRounded = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
	if (typeof value === 'string' || typeof value === 'boolean') return String(value);
	if (typeof value === 'number' && !Number.isNaN(value) && !wasRounded) return String(value);
	throw parameterError(place, displayName, 'is not text', `It is ${shown(value)}. Enter a text or a number.`);
}

function readComparedNumber(place: Place, displayName: string, value: unknown) {
	const number = decimalOf(value);
	if (number !== undefined) return number;
	throw parameterError(place, displayName, 'is not a number', `It is ${shown(value)}. Enter a number such as 49.90.`);
}

function rejectChoiceOfAgent(place: Place, index: number): void {
	const { node } = place;
	const options = node.parameters?.options as { agentMayChooseFields?: unknown } | undefined;
	if (!runsAsTool(node) || options?.agentMayChooseFields === true) return;
	const part = ['field', 'condition'].find((name) => expressionAt(place, pathTo(index, name)) !== undefined);
	if (part === undefined) return;
	throw parameterError(
		place,
		`${CONDITIONS}, ${part} ${index + 1}`,
		'is not for the agent to choose',
		'Nothing was sent. Only the person who built this tool can permit it, with "Agent May Choose Fields" under Options.',
	);
}

function notRows(place: Place, value: unknown) {
	return parameterError(
		place,
		CONDITIONS,
		'is not a list of conditions',
		`It is ${shown(value)}. Add the conditions one by one.`,
	);
}

const pathTo = (index: number, name: string) => `conditions.all.${index}.${name}`;

function mapped<T>(entries: Record<string, T>, change: (entry: T) => ReadValue): Record<string, ReadValue> {
	return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, change(entry)]));
}
