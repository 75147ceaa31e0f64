import type { WorkflowNode } from '../n8n/session.ts';

/** A parameter as n8n describes it to its editor. */
interface Parameter {
	name: string;
	type: string;
	options?: Array<Parameter & { value?: unknown }>;
}

/** A node type as n8n describes it to its editor. */
export interface DescribedNode {
	name: string;
	version: number | number[];
	properties: Parameter[];
}

/** Returns what a node no longer has that it had before the update. One line per problem. */
export function lostParameters(before: DescribedNode[], after: DescribedNode[]): string[] {
	return before.flatMap((node) => {
		const now = after.find(({ name }) => name === node.name);
		if (now === undefined) return [`${node.name} is gone`];
		if (![now.version].flat().includes([node.version].flat().at(-1) as number)) {
			return [`${node.name} no longer has version ${String(node.version)}`];
		}
		const has = described(now);
		return [...described(node)].flatMap(([parameter, values]) => {
			const chosen = has.get(parameter);
			if (chosen === undefined) return [`${node.name} no longer has the parameter ${parameter}`];
			return [...values]
				.filter((value) => !chosen.has(value))
				.map((value) => `${node.name}: ${parameter} no longer has the value ${value}`);
		});
	});
}

/** Parameters that no node of these workflows sets, so that the check would say nothing about them. One line per problem. */
export function unsetParameters(types: DescribedNode[], nodes: WorkflowNode[]): string[] {
	return types.flatMap((type) => {
		const set = new Set(
			nodes.filter((node) => node.type === type.name).flatMap(({ parameters }) => namesIn(parameters)),
		);
		return [...described(type).keys()]
			.filter((parameter) => !set.has(parameter))
			.map((parameter) => `no workflow of this check sets ${parameter} of ${type.name}`);
	});
}

const COLLECTIONS = ['fileOptions', 'filters', 'options'];

/** Returns the parameters of a node, those inside a collection as `collection.name`, and the values that can be chosen. */
function described({ properties }: DescribedNode): Map<string, Set<string>> {
	const found = new Map<string, Set<string>>();
	const add = (parameters: Parameter[], before: string) => {
		for (const { name, type, options = [] } of parameters) {
			if (type === 'notice') continue;
			if (type === 'collection') add(options, `${name}.`);
			else found.set(before + name, new Set(type === 'options' ? options.map(({ value }) => String(value)) : []));
		}
	};
	add(properties, '');
	// n8n's own: when a trigger polls, and the request options of a declarative node.
	for (const name of found.keys()) if (/^(pollTimes|requestOptions)/.test(name)) found.delete(name);
	return found;
}

function namesIn(parameters: Record<string, unknown>): string[] {
	return Object.entries(parameters).flatMap(([name, value]) =>
		COLLECTIONS.includes(name) ? Object.keys(value as object).map((inner) => `${name}.${inner}`) : [name],
	);
}
