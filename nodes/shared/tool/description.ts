import type { INodeProperties } from 'n8n-workflow';

/**
 * The description of a node's tool, for the model; `preset` unless the user writes another. n8n has such a field for each
 * tool, but for a node with operations it hides the field behind "Set Automatically", the default, and drops the
 * description of a workflow that was saved before the node had operations. It adds none where the node has a field of this
 * name (measured on 2.41.1 and 1.123.81).
 */
export function toolDescriptionField(preset: string): INodeProperties {
	return {
		displayName: 'Description',
		name: 'toolDescription',
		type: 'string',
		typeOptions: { rows: 2 },
		default: preset,
		required: true,
		displayOptions: { show: { '@tool': [true] } },
		description: 'What the tool does, and when the model should use it',
	};
}
