import { reportFailure, step } from '../lib/steps.ts';
import { generate } from '../lint/generated.ts';

process.exitCode = await step('Writing record types and output schemas from the OpenAPI document', generate).then(
	() => 0,
	reportFailure,
);
