import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { credentialTests } from '../shared/credentialTest';
import { authenticationField } from '../shared/fields/authentication';
import { limitFields } from '../shared/fields/limit';
import { optionsField } from '../shared/fields/retryOptions';
import { toolDescriptionField } from '../shared/fields/toolDescription';
import { fileFields } from '../shared/file/fields';
import { LIST_FIELDS, outputFields } from '../shared/output/fields';
import { leadFields } from './leadFields';
import { listLeads } from './listLeads';

const DESCRIPTION = 'Get the leads of your organization from the lead and revenue service';

export class ListLeads implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'List Leads',
		name: 'listLeads',
		icon: { light: 'file:../../icons/leads.svg', dark: 'file:../../icons/leads.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: '={{$parameter["returnAll"] ? "all leads" : "up to " + $parameter["limit"] + " leads"}}',
		description: DESCRIPTION,
		defaults: { name: 'List Leads' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'leadRevenueApi',
				required: true,
				testedBy: 'leadRevenueApiTest',
				displayOptions: { show: { authentication: ['apiKey'] } },
			},
			{ name: 'leadRevenueOAuth2Api', required: true, displayOptions: { show: { authentication: ['oAuth2'] } } },
		],
		properties: [
			toolDescriptionField(DESCRIPTION),
			authenticationField,
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				options: [{ name: 'Get Many', value: 'getMany', action: 'Get many leads', description: 'Get a list of leads' }],
				default: 'getMany',
			},
			...limitFields('lead'),
			...outputFields('lead'),
			...fileFields(),
			optionsField,
		],
	};

	methods = { credentialTest: credentialTests, loadOptions: { [LIST_FIELDS]: leadFields } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await listLeads(this);
	}
}
