import { globSync } from 'node:fs';
import path from 'node:path';
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions, INodeType } from 'n8n-workflow';

type Property = INodeProperties | INodePropertyCollection | INodePropertyOptions;

/** Below an option, n8n's editor shows two lines of about 55 characters, and cuts off the rest (measured on 2.41.1). */
const SHOWN = 105;

function descriptionsIn(properties: readonly Property[]): string[] {
	return properties.flatMap((property) => {
		if ('values' in property) return descriptionsIn(property.values);
		if ('type' in property) return descriptionsIn(property.options ?? []);
		return 'value' in property ? [property.description ?? ''] : [];
	});
}

test.each(globSync('nodes/*/*.node.ts'))("the editor shows the options' whole descriptions: %s", async (file) => {
	const [Node] = Object.values((await import(path.resolve(file))) as Record<string, new () => INodeType>);
	const descriptions = descriptionsIn(new Node!().description.properties);
	expect(descriptions).not.toEqual([]);
	expect(descriptions.filter(({ length }) => length > SHOWN)).toEqual([]);
});
