import { createKeywordAutomation } from '../../../nodes/CreateKeywordAutomation/createKeywordAutomation.ts';
import { parametersOf } from '../../support/scripted/parameters.ts';

const ASKED = "={{ $fromAI('active', '', 'boolean') }}";
const VALUES = { name: 'Prices', keywords: ['price'], commentType: 'ANY_POST', replies: ['Thanks'] };
const created = (type: string, parameters: object, isActive = true) =>
	createKeywordAutomation.read(parametersOf({ ...VALUES, isActive }, { name: 'Draft', type, parameters } as never));

test.each([
	{ isActive: ASKED },
	{ isActive: '={{ $json.active }}' },
	{ isActive: ASKED, agentMayActivate: false },
	// An expression could be the agent's choice.
	{ isActive: ASKED, agentMayActivate: "={{ $fromAI('permit', '', 'boolean') }}" },
	{ isActive: ASKED, agentMayActivate: 'true' },
])('a tool with %j creates no active automation', (parameters) => {
	const create = (isActive: boolean) => created('createKeywordAutomationTool', parameters, isActive);
	expect(() => create(true)).toThrow('"Active" is not for the agent to turn on');
	expect(create(false)).toMatchObject({ is_active: false });
});

test.each([
	['createKeywordAutomationTool', { isActive: true }],
	['createKeywordAutomationTool', { isActive: ASKED, agentMayActivate: true }],
	['createKeywordAutomation', { isActive: '={{ $json.active }}' }],
])('a %s with %j does', (type, parameters) => {
	expect(created(type, parameters)).toMatchObject({ is_active: true });
});
