import type { IGetNodeParameterOptions } from 'n8n-workflow';
import type { ItemFunctions } from '../service/connection/connection';
import { readOptional, valueAt } from './expressions';
import type { Place } from './read';

export interface ItemParameters extends Place {
	/** Returns the value of a parameter; `''` if the saved workflow does not have it. */
	get: (name: string, options?: IGetNodeParameterOptions) => unknown;
	/** Returns the value of an optional parameter (see readOptional), which may be in a collection: `options.timeout`. */
	optional: (displayName: string, path: string) => unknown;
	/** The workflow's time zone, for times without an offset. */
	zone: string;
}

export function parametersOf(functions: ItemFunctions, itemIndex: number): ItemParameters {
	return withOptional({
		node: functions.getNode(),
		itemIndex,
		evaluate: (text) => functions.evaluateExpression(text, itemIndex),
		get: (name, options): unknown =>
			'getItemIndex' in functions
				? functions.getNodeParameter(name, '', options)
				: functions.getNodeParameter(name, itemIndex, '', options),
		zone: functions.getTimezone(),
	});
}

/** Adds `optional`. It resolves a collection as a whole and only once, when the first parameter in the collection is read. */
export function withOptional(parameters: Omit<ItemParameters, 'optional'>): ItemParameters {
	const values: Record<string, unknown> = {};
	const optional: ItemParameters['optional'] = (displayName, path) => {
		const [name = path] = path.split('.');
		if (!(name in values)) values[name] = parameters.get(name);
		return readOptional(parameters, displayName, valueAt(values, path), path);
	};
	return { ...parameters, optional };
}
