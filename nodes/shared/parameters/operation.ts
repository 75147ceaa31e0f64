import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** The Operation of a node. @param preset the value of the one that a node has until the user chooses. */
export const operationField = (preset: string, ...operations: INodePropertyOptions[]): INodeProperties => ({
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	options: operations,
	default: preset,
});
