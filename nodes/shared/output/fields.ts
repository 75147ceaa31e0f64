import type { INodeProperties } from 'n8n-workflow';

/** In which form a list is output; shown under the conditions of its operation. */
export function outputField(displayOptions?: { show: Record<string, string[]> }): INodeProperties {
	return {
		displayName: 'Output',
		name: 'output',
		type: 'options',
		noDataExpression: true,
		...(displayOptions === undefined ? {} : { displayOptions }),
		options: [
			{
				name: 'File',
				value: 'file',
				description: 'One item with all records in a file, however many they are',
			},
			{ name: 'Raw', value: 'raw', description: 'One item per record, as the service returns it' },
		],
		default: 'raw',
		description: 'In which form to output the list',
	};
}
