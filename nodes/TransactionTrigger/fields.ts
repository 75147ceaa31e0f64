import type { INodeProperties } from 'n8n-workflow';
import { retryOptions, timeoutOption } from '../shared/fields/retryOptions';
import { filtersField } from './filters';

export const NEW = 'newTransaction';
export const NEW_OR_UPDATED = 'newOrUpdatedTransaction';
export const CONTINUE = 'continue';

export const fields: INodeProperties[] = [
	{
		displayName: 'Event',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'New Transaction',
				value: NEW,
				description: 'Each transaction once, when this trigger first sees it',
			},
			{
				name: 'New or Updated Transaction',
				value: NEW_OR_UPDATED,
				description: 'Each transaction when this trigger first sees it, and again whenever its content has changed',
			},
		],
		default: NEW,
	},
	{
		displayName: 'Start From',
		name: 'startFrom',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'Now', value: 'now', description: 'Nothing that is there when the workflow is activated' },
			{ name: 'A Date', value: 'date', description: 'Also everything since a date, before what is new' },
		],
		default: 'now',
		description: 'What counts when the trigger runs for the first time; afterwards it goes on from where it was',
	},
	{
		displayName: 'Start Date',
		name: 'startDate',
		type: 'dateTime',
		default: '',
		required: true,
		displayOptions: { show: { startFrom: ['date'] } },
		description: 'Without an offset, a time in the time zone of the workflow',
	},
	filtersField,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'After a Restart',
				name: 'afterRestart',
				type: 'options',
				options: [
					{
						name: 'Repeat the Last Transactions',
						value: 'repeat',
						description:
							'Nothing is lost, however n8n ended. The transactions of the last execution before the restart come once more.',
					},
					{
						name: 'Continue',
						value: CONTINUE,
						description:
							'Nothing comes twice. Transactions are lost if n8n crashes in the few milliseconds between its saving of where the trigger is and its storing of their execution.',
					},
				],
				default: 'repeat',
				description:
					'What to do when n8n was restarted, and may have ended before it stored the last execution. With durable cursors n8n loses nothing, and nothing comes twice, whatever is chosen.',
			},
			{
				displayName: 'Max Transactions per Poll',
				name: 'maxTransactions',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 50_000 },
				default: 5_000,
				description: 'How many transactions one execution gets at most; the next poll goes on with the rest',
			},
			...retryOptions,
			{
				displayName: 'Overlap',
				name: 'overlap',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 5,
				description:
					'How many minutes each poll looks back behind the one before, for transactions that show up late. What was reported already is not reported again.',
			},
			timeoutOption,
		],
	},
];
