import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { credentialTests } from '../shared/service/credentialTest';
import { authenticationField } from '../shared/parameters/authentication';
import { toolDescriptionField } from '../shared/tool/description';
import { WRITE_BUILDER_HINT, writeOptionsField } from '../shared/change/options';
import { MAX_IN_FLIGHT } from '../shared/service/rateLimit/gate';
import { changeItems } from '../shared/change/changeItems';
import { searchLeads } from './searchLeads';
import { tagLead } from './tagLead';

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
				options: [
					{
						name: 'Add Tag',
						value: 'addTag',
						action: 'Add tag to lead',
						description: 'Add an existing manual tag to a lead',
					},
				],
				default: 'addTag',
			},
			{
				displayName: 'Lead',
				name: 'lead',
				type: 'resourceLocator',
				default: { mode: 'list', value: '' },
				required: true,
				description: 'The lead to tag',
				modes: [
					{
						displayName: 'From List',
						name: 'list',
						type: 'list',
						placeholder: 'Select a lead…',
						typeOptions: { searchListMethod: 'searchLeads', searchable: true },
					},
					{
						displayName: 'By ID',
						name: 'id',
						type: 'string',
						placeholder: 'e.g. lead_3d610om',
					},
				],
			},
			{
				displayName: 'Tag ID',
				name: 'tagId',
				// Text, because a number field cannot be left empty and its default would be a tag that nobody chose.
				type: 'string',
				default: '',
				required: true,
				placeholder: 'e.g. 12',
				description: 'Numeric ID of an existing manual tag of your organization, as the service shows it',
			},
			writeOptionsField,
		],
	};

	methods = { credentialTest: credentialTests, listSearch: { searchLeads } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await changeItems(this, tagLead, MAX_IN_FLIGHT);
	}
}
