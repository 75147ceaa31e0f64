import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Contract } from '../../sandbox/src/contract.ts';
import { mustRun } from '../lib/command.ts';
import { DOCUMENTED_OUTPUTS, schemaFile } from '../lib/outputSchemas.ts';
import { inRepository } from '../lib/repository.ts';
import { withExceptions } from './writeExceptions.ts';

const DOCUMENT = inRepository('sandbox', 'openapi', 'service.yaml');
const NODES = inRepository('nodes');
const TYPES = path.join('shared', 'service', 'apiTypes.ts');

type Json = Record<string, unknown>;

/** Writes the record types and the output schemas of the nodes from the service's OpenAPI document. */
export async function generate(nodes = NODES): Promise<void> {
	await generateTypes(path.join(nodes, TYPES));
	await generateSchemas(nodes);
}

/** Writes the table of exceptions in docs/idempotency.md. */
export async function generateDocs(): Promise<void> {
	const page = inRepository('docs', 'idempotency.md');
	await writeFile(page, withExceptions(await readFile(page, 'utf8')));
}

/** @throws Error when a generated file does not match the OpenAPI document, is missing, or is left over. */
export async function checkGenerated(): Promise<void> {
	const folder = await mkdtemp(path.join(os.tmpdir(), 'lead-revenue-generated-'));
	try {
		await generate(folder);
		const [fresh, present] = [await generatedIn(folder), await generatedIn(NODES)];
		const different = [...new Set([...fresh.keys(), ...present.keys()])].filter(
			(file) => fresh.get(file) !== present.get(file),
		);
		if (different.length > 0)
			throw new Error(
				`These files do not match sandbox/openapi/service.yaml. Run: npm run generate\n${different.map((file) => `  nodes/${file}`).join('\n')}`,
			);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function generateTypes(file: string): Promise<void> {
	await mustRun(process.execPath, [
		inRepository('node_modules', 'openapi-typescript', 'bin', 'cli.js'),
		DOCUMENT,
		'-o',
		file,
	]);
}

async function generateSchemas(nodes: string): Promise<void> {
	const { document } = await Contract.load();
	const { schemas } = document.components as { schemas: Record<string, Json> };
	for (const file of await schemasIn(nodes)) await rm(path.join(nodes, file));
	for (const [output, { record, added }] of Object.entries(DOCUMENTED_OUTPUTS)) {
		const properties = { ...(withoutReferences(schemas[record], schemas).properties as Json), ...added };
		const file = path.join(nodes, schemaFile(output));
		await mkdir(path.dirname(file), { recursive: true });
		await writeFile(file, `${JSON.stringify({ type: 'object', properties }, null, 2)}\n`);
	}
}

/** What n8n reads of a schema. It follows no references. */
function withoutReferences(schema: Json | undefined, schemas: Record<string, Json>): Json {
	if (schema === undefined) throw new Error('The OpenAPI document lacks a schema that an output names.');
	if (typeof schema.$ref === 'string') {
		return withoutReferences(schemas[schema.$ref.replace('#/components/schemas/', '')], schemas);
	}
	const { type, format, enum: values, items, properties } = schema as Record<string, Json | undefined>;
	return {
		type,
		format,
		enum: values,
		...(items && { items: withoutReferences(items, schemas) }),
		...(properties && {
			properties: Object.fromEntries(
				Object.entries(properties).map(([name, field]) => [name, withoutReferences(field as Json, schemas)]),
			),
		}),
	};
}

async function schemasIn(nodes: string): Promise<string[]> {
	const files = await readdir(nodes, { recursive: true });
	return files.filter((file) => file.endsWith('.json') && file.split(path.sep).includes('__schema__'));
}

async function generatedIn(nodes: string): Promise<Map<string, string>> {
	const files = [TYPES, ...(await schemasIn(nodes))];
	return new Map(
		await Promise.all(
			files.map(async (file) => [file, await readFile(path.join(nodes, file), 'utf8')] as [string, string]),
		),
	);
}
