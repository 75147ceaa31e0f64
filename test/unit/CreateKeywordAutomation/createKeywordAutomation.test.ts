import { rejectActiveByAgent } from '../../../nodes/CreateKeywordAutomation/createKeywordAutomation.ts';

const ASKED = "={{ $fromAI('active', '', 'boolean') }}";
const check = (type: string, parameters: object) => () =>
	rejectActiveByAgent({ node: { name: 'Draft', type, parameters } as never, itemIndex: 0 });

test.each([
	{ isActive: ASKED },
	{ isActive: '={{ $json.active }}' },
	{ isActive: ASKED, agentMayActivate: false },
	// An expression could be the agent's choice.
	{ isActive: ASKED, agentMayActivate: "={{ $fromAI('permit', '', 'boolean') }}" },
	{ isActive: ASKED, agentMayActivate: 'true' },
])('a tool with %j creates no active automation', (parameters) => {
	expect(check('createKeywordAutomationTool', parameters)).toThrow('"Active" is not for the agent to turn on');
});

test.each([
	['createKeywordAutomationTool', { isActive: true }],
	['createKeywordAutomationTool', { isActive: ASKED, agentMayActivate: true }],
	['createKeywordAutomation', { isActive: '={{ $json.active }}' }],
])('a %s with %j does', (type, parameters) => {
	expect(check(type, parameters)).not.toThrow();
});
