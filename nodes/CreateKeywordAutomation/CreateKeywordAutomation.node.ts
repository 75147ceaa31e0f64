import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { changeItems } from '../shared/change/changeItems';
import { WRITE_BUILDER_HINT } from '../shared/change/options';
import { authenticationField, requiredFor, toolDescriptionField } from '../shared/parameters/nodeFields';
import { credentialTests } from '../shared/service/credentialTest';
import { automationFields, createKeywordAutomation } from './createKeywordAutomation';

const DESCRIPTION =
	'Create an automation that replies to comments with certain keywords, by default as an inactive draft';

export class CreateKeywordAutomation implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Create Keyword Automation',
		name: 'createKeywordAutomation',
		icon: { light: 'file:../../icons/automation.svg', dark: 'file:../../icons/automation.dark.svg' },
		group: ['output'],
		version: 1,
		subtitle: '={{ ($parameter["isActive"] ? "active: " : "draft: ") + $parameter["name"] }}',
		description: DESCRIPTION,
		defaults: { name: 'Create Keyword Automation' },
		usableAsTool: true,
		builderHint: WRITE_BUILDER_HINT,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'leadRevenueApi', testedBy: 'leadRevenueApiTest', ...requiredFor('apiKey') },
			{ name: 'leadRevenueOAuth2Api', ...requiredFor('oAuth2') },
		],
		properties: [toolDescriptionField(DESCRIPTION), authenticationField, ...automationFields],
	};

	methods = { credentialTest: credentialTests };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await changeItems(this, createKeywordAutomation);
	}
}
