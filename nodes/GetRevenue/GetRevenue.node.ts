import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { editorFields } from '../shared/list/editorFields';
import { listFields, listOptions } from '../shared/list/listRecords';
import { authenticationField, requiredFor } from '../shared/parameters/nodeFields';
import { credentialTests } from '../shared/service/credentialTest';
import { revenueFiltersField } from './filters';
import { chosenList, LISTS, UNDOCUMENTED_FIELD_HINT } from './operations';
import { revenueOperationField } from './pagination';

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
			{ name: 'leadRevenueApi', testedBy: 'leadRevenueApiTest', ...requiredFor('apiKey') },
			{ name: 'leadRevenueOAuth2Api', ...requiredFor('oAuth2') },
		],
		requestDefaults: { baseURL: '={{$credentials.baseUrl}}' },
		properties: [
			authenticationField,
			revenueOperationField,
			...listFields('record', { simplified: true, operations: LISTS.map(({ value }) => value) }),
			revenueFiltersField,
			listOptions,
		],
	};

	methods = { credentialTest: credentialTests, loadOptions: editorFields(chosenList) };
}
