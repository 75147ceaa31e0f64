import { build } from '../lib/build.ts';
import { reportFailure, step } from '../lib/steps.ts';

process.exitCode = await step('Building the nodes into dist', build).then(() => 0, reportFailure);
