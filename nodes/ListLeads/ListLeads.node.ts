import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { editorFields } from '../shared/list/editorFields';
import { authenticationField, requiredFor, toolDescriptionField } from '../shared/parameters/nodeFields';
import { credentialTests } from '../shared/service/credentialTest';
import { LIST_LEADS } from '../shared/service/reads';
import { leadFields, listLeads } from './listLeads';

const DESCRIPTION = 'Get the leads of your organization from the lead and revenue service';

export class ListLeads implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'List Leads',
		name: 'listLeads',
		icon: { light: 'file:../../icons/leads.svg', dark: 'file:../../icons/leads.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle:
			'={{($parameter["returnAll"] ? "all leads" : "up to " + $parameter["limit"] + " leads") + ($parameter["conditions"]?.all?.length ? " that match" : "")}}',
		description: DESCRIPTION,
		defaults: { name: 'List Leads' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'leadRevenueApi', testedBy: 'leadRevenueApiTest', ...requiredFor('apiKey') },
			{ name: 'leadRevenueOAuth2Api', ...requiredFor('oAuth2') },
		],
		properties: [toolDescriptionField(DESCRIPTION), authenticationField, ...leadFields],
	};

	methods = { credentialTest: credentialTests, loadOptions: editorFields(() => ({ call: LIST_LEADS })) };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await listLeads(this);
	}
}
