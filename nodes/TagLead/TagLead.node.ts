import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { changeItems } from '../shared/change/changeItems';
import { WRITE_BUILDER_HINT } from '../shared/change/options';
import { authenticationField, requiredFor, toolDescriptionField } from '../shared/parameters/nodeFields';
import { credentialTests } from '../shared/service/credentialTest';
import { searchLeads } from './searchLeads';
import { tagFields, tagLead } from './tagLead';

const DESCRIPTION = 'Add an existing manual tag to a lead, exactly once';

export class TagLead implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Tag Lead',
		name: 'tagLead',
		icon: { light: 'file:../../icons/tag.svg', dark: 'file:../../icons/tag.dark.svg' },
		group: ['output'],
		version: 1,
		subtitle: '={{ "tag " + $parameter["tagId"] }}',
		description: DESCRIPTION,
		defaults: { name: 'Tag Lead' },
		usableAsTool: true,
		builderHint: WRITE_BUILDER_HINT,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'leadRevenueApi', testedBy: 'leadRevenueApiTest', ...requiredFor('apiKey') },
			{ name: 'leadRevenueOAuth2Api', ...requiredFor('oAuth2') },
		],
		properties: [toolDescriptionField(DESCRIPTION), authenticationField, ...tagFields],
	};

	methods = { credentialTest: credentialTests, listSearch: { searchLeads } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await changeItems(this, tagLead);
	}
}
