import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { credentialTests } from '../shared/service/credentialTest';
import { authenticationField } from '../shared/parameters/authentication';
import { limitFields } from '../shared/list/limit';
import { agentMayChooseFieldsField, conditionFields, LIST_PATHS } from '../shared/list/conditions';
import { maxRecordsToReadField } from '../shared/list/find';
import { optionsWith } from '../shared/parameters/retryOptions';
import { fileFields } from '../shared/list/fileSettings';
import { LIST_FIELDS, outputFields } from '../shared/list/output';
import { fieldNames, fieldPaths, UNDOCUMENTED_FIELD_HINT } from './fieldNames';
import { revenueFiltersField } from './filters';
import { LISTS, OPERATIONS } from './operations';
import { declared } from './pagination';

const OF_LISTS = { operation: LISTS.map(({ value }) => value) };

export class GetRevenue implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Get Revenue',
		name: 'getRevenue',
		icon: { light: 'file:../../icons/revenue.svg', dark: 'file:../../icons/revenue.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: '={{ $parameter["operation"].replace("get", "").replace(/([A-Z])/g, " $1").toLowerCase().trim() }}',
		description: 'Get revenue summaries, transactions and manual records from the lead and revenue service',
		defaults: { name: 'Get Revenue' },
		usableAsTool: true,
		hints: [UNDOCUMENTED_FIELD_HINT],
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
		requestDefaults: { baseURL: '={{$credentials.baseUrl}}' },
		properties: [
			authenticationField,
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				options: OPERATIONS.map(declared),
				default: 'getSummary',
			},
			...limitFields('record', { show: OF_LISTS }),
			...conditionFields('record', OF_LISTS),
			...outputFields('record', { simplified: true, show: OF_LISTS }),
			...fileFields(OF_LISTS),
			revenueFiltersField,
			optionsWith(maxRecordsToReadField, agentMayChooseFieldsField),
		],
	};

	methods = { credentialTest: credentialTests, loadOptions: { [LIST_FIELDS]: fieldNames, [LIST_PATHS]: fieldPaths } };
}
