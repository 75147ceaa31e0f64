import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { authenticationField, requiredFor } from '../shared/parameters/nodeFields';
import { credentialTests } from '../shared/service/credentialTest';
import { fieldsOf, helpOf } from '../shared/trigger/parameters/fields';
import { filterValues } from '../shared/trigger/parameters/filters';
import { poll } from '../shared/trigger/poll';
import { transactions } from './transactions';

export class TransactionTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Transaction Trigger',
		name: 'transactionTrigger',
		icon: { light: 'file:../../icons/transaction.svg', dark: 'file:../../icons/transaction.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{$parameter["event"] === "newTransaction" ? "new" : "new or updated"}}',
		description: 'Starts the workflow when a payment transaction is new or has changed in the lead and revenue service',
		defaults: { name: 'Transaction Trigger' },
		polling: true,
		...helpOf(transactions),
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'leadRevenueApi', testedBy: 'leadRevenueApiTest', ...requiredFor('apiKey') },
			{ name: 'leadRevenueOAuth2Api', ...requiredFor('oAuth2') },
		],
		properties: [authenticationField, ...fieldsOf(transactions)],
	};

	methods = { credentialTest: credentialTests, loadOptions: filterValues(transactions) };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this, transactions);
	}
}
