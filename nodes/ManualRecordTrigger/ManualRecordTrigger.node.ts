import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { authenticationField, requiredFor } from '../shared/parameters/nodeFields';
import { credentialTests } from '../shared/service/credentialTest';
import { fieldsOf, helpOf } from '../shared/trigger/parameters/fields';
import { filterValues } from '../shared/trigger/parameters/filters';
import { poll } from '../shared/trigger/poll';
import { manualRecords } from './manualRecords';

export class ManualRecordTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Manual Record Trigger',
		name: 'manualRecordTrigger',
		icon: { light: 'file:../../icons/manualRecord.svg', dark: 'file:../../icons/manualRecord.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{$parameter["event"] === "newManualRecord" ? "new" : "new or updated"}}',
		description:
			'Starts the workflow when a manual revenue record, such as an installment, is new or has changed in the lead and revenue service',
		defaults: { name: 'Manual Record Trigger' },
		polling: true,
		...helpOf(manualRecords),
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'leadRevenueApi', testedBy: 'leadRevenueApiTest', ...requiredFor('apiKey') },
			{ name: 'leadRevenueOAuth2Api', ...requiredFor('oAuth2') },
		],
		properties: [authenticationField, ...fieldsOf(manualRecords)],
	};

	methods = { credentialTest: credentialTests, loadOptions: filterValues(manualRecords) };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this, manualRecords);
	}
}
