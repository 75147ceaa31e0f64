import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { credentialTests } from '../shared/service/credentialTest';
import { authenticationField } from '../shared/parameters/authentication';
import { fieldsOf } from '../shared/trigger/parameters/fields';
import { filterValues } from '../shared/trigger/parameters/filterValues';
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
		builderHint: {
			searchHint:
				'Needs no deduplication behind it: no Remove Duplicates, no store of seen IDs, no filter on dates. It emits each manual record once, or once per change. Only after a restart of n8n may it emit the manual records of the last execution again; where that does harm, upsert by id, or set an Idempotency Key made from the id.',
		},
		triggerPanel: {
			executionsHelp:
				"<b>While building your workflow</b>, fetch a test event: up to five real manual records that pass the filters, from any time. It changes nothing.<br><br><b>Once you're happy</b>, publish. The first poll notes what is there and starts nothing, unless Start From is a date; after that, each poll starts the workflow with what is new. See Executions.",
		},
		inputs: [],
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
		properties: [authenticationField, ...fieldsOf(manualRecords)],
	};

	methods = { credentialTest: credentialTests, loadOptions: filterValues(manualRecords) };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this, manualRecords);
	}
}
