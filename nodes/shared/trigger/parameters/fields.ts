import type { INodeProperties } from 'n8n-workflow';
import { retryOptions, timeoutOption } from '../../parameters/retryOptions';
import { fieldsToWatchField } from './fieldsToWatch';
import { filtersField } from './filters';

export const NEW = 'newTransaction';
export const NEW_OR_UPDATED = 'newOrUpdatedTransaction';
// Values that earlier versions saved, which had no Repeat if Recent.
export const ALWAYS_REPEAT = 'repeat';
export const NEVER_REPEAT = 'continue';
/** A year. A date so far back can always be requested. */
export const MAX_OVERLAP_MINUTES = 525_600;
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
	{ ...fieldsToWatchField, displayOptions: { show: { event: [NEW_OR_UPDATED] } } },
	{
		displayName: 'Start From',
		name: 'startFrom',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'Now', value: 'now', description: 'Only transactions created after the workflow is activated' },
			{ name: 'A Date', value: 'date', description: 'Also transactions since a date, which arrive first' },
		],
		default: 'now',
		description: 'Where the trigger starts when it runs for the first time; later it continues from where it was',
	},
	{
		displayName: 'Start Date',
		name: 'startDate',
		type: 'dateTime',
		default: '',
		required: true,
		displayOptions: { show: { startFrom: ['date'] } },
		description: "A time without an offset is read in the workflow's time zone",
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
					'What to do after a restart of n8n, which may have ended before it stored the last execution. With durable cursors nothing is lost or repeated, and this option has no effect.',
			},
			{
				displayName: 'Max Transactions per Poll',
				name: 'maxTransactions',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 50_000 },
				default: 5_000,
				description: 'The most transactions one execution receives; the next poll continues with the rest',
			},
			...retryOptions,
			{
				displayName: 'Overlap',
				name: 'overlap',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: MAX_OVERLAP_MINUTES },
				default: 5,
				description:
					'How many minutes each poll looks back before the previous one, for transactions that become visible late. Transactions that were reported are not reported again.',
			},
			timeoutOption,
		],
	},
];
