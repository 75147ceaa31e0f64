import type { INode } from 'n8n-workflow';
import { audienceOf, runsAsTool } from '../../../../nodes/shared/service/audience';

const WORKFLOW = { type: 'n8n-nodes-lead-revenue.tagLead' } as INode;
const TOOL = { type: 'n8n-nodes-lead-revenue.tagLeadTool' } as INode;

test.each([
	['the agent that called a tool', TOOL, { continueOnFail: () => true }, 'agent'],
	['the next node, with Continue', WORKFLOW, { continueOnFail: () => true }, 'workflow'],
	['the person at a failed execution', WORKFLOW, { continueOnFail: () => false }, 'person'],
	['the person at a poll, which has no Continue', WORKFLOW, {}, 'person'],
])('an error is for %s', (_who, node, functions, expected) => {
	expect(audienceOf(functions as never, node)).toBe(expected);
	expect(runsAsTool(node)).toBe(expected === 'agent');
});
