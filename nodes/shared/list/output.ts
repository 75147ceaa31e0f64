import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** The method in a node's `loadOptions` that lists the fields of its records. */
export const LIST_FIELDS = 'getFields';

/** The value of Output whose fields are in fileSettings.ts. */
export const FILE = 'file';

/** The names of the parameters below, as the user sees them. */
export const OUTPUT = 'Output';
export const FIELDS = 'Fields';

const AS_FILE: INodePropertyOptions = {
	name: 'File',
	value: FILE,
	description: 'One item with a CSV or JSON file of the records, of any number, written as they arrive',
};

const RAW: INodePropertyOptions = {
	name: 'Raw',
	value: 'raw',
	description: 'All fields, unchanged',
};

const SIMPLIFIED: INodePropertyOptions = {
	name: 'Simplified',
	value: 'simplified',
	description: 'Only the main fields: who paid, for what, how much and when',
};

const SELECTED_FIELDS: INodePropertyOptions = {
	name: 'Selected Fields',
	value: 'selectedFields',
	description: 'The ID and the fields that you choose',
};

/**
 * Output and Fields, shown under the conditions of their operation. Values and names are those of n8n's UX guidelines (Simplify
 * parameter, for AI tools). `simplified` is for records whose fields are documented.
 */
export function outputFields(
	what: string,
	{ simplified = false, show = {} }: { simplified?: boolean; show?: Record<string, string[]> } = {},
): INodeProperties[] {
	return [
		{
			displayName: OUTPUT,
			name: 'output',
			type: 'options',
			options: [RAW, ...(simplified ? [SIMPLIFIED] : []), SELECTED_FIELDS, AS_FILE],
			default: 'raw',
			...(Object.keys(show).length > 0 && { displayOptions: { show } }),
			description: `How much of each ${what} to return. Fewer fields take less memory, and fewer tokens of an AI agent.`,
			builderHint: {
				propertyHint:
					'For a tool of an AI agent, choose one that is not raw. selectedFields needs the parameter fields.',
			},
		},
		{
			displayName: FIELDS,
			name: 'fields',
			type: 'multiOptions',
			typeOptions: {
				loadOptionsMethod: LIST_FIELDS,
				...('operation' in show && { loadOptionsDependsOn: ['operation'] }),
			},
			// Otherwise the editor marks a field as wrong that the records it has read lack.
			allowArbitraryValues: true,
			// Not required: n8n would reject a node whose Output is an expression that returns "raw".
			default: [],
			displayOptions: { show: { ...show, output: ['selectedFields'] } },
			description:
				'The fields to add to the output. Choose from the list, or enter names that are not in it, separated by commas, as an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
		},
	];
}
