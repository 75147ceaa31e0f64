import { reportFailure, step } from '../lib/steps.ts';
import { generateTypes } from '../lint/generated.ts';

process.exitCode = await step('Writing the record types from the OpenAPI document', generateTypes).then(
	() => 0,
	reportFailure,
);
