import type { INodeProperties } from 'n8n-workflow';
import { retryOptions, timeoutOption } from '../shared/fields/retryOptions';
import { filtersField } from './filters';

export const NEW = 'newTransaction';
export const NEW_OR_UPDATED = 'newOrUpdatedTransaction';
// The values of earlier versions, in which Repeat if Recent was not there.
export const ALWAYS_REPEAT = 'repeat';
export const NEVER_REPEAT = 'continue';
const REPEAT_IF_RECENT = 'repeatIfRecent';

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
						name: 'Always Repeat',
						value: ALWAYS_REPEAT,
						description:
							'Nothing is lost, even if n8n is killed and stays down for long. Each restart repeats the transactions of the last execution before it.',
					},
					{
						name: 'Never Repeat',
						value: NEVER_REPEAT,
						description:
							'Nothing is repeated. If n8n is killed in the milliseconds in which it stores an execution, the transactions of that execution are lost.',
					},
					{
						name: 'Repeat if Recent',
						value: REPEAT_IF_RECENT,
						description:
							'The transactions of the last execution are repeated if n8n starts within five minutes of it. Nothing is lost, unless n8n is killed in the milliseconds in which it stores an execution and stays down for longer.',
					},
				],
				default: REPEAT_IF_RECENT,
				description:
					'What to do when n8n was restarted, and may have ended before it stored the last execution. With durable cursors n8n loses and repeats nothing, whatever you choose.',
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
