import { reportFailure, step } from '../lib/steps.ts';
import { generate, generateDocs } from '../lint/generated.ts';

async function generateAll(): Promise<void> {
	await generate();
	await generateDocs();
}

process.exitCode = await step(
	'Writing record types and output schemas from the OpenAPI document, and the table of exceptions',
	generateAll,
).then(() => 0, reportFailure);
