import type { INodeProperties } from 'n8n-workflow';
import { titled } from '../../parameters/editorLists';
import type { NumberOption } from '../../parameters/retryOptions';
import { optionsWith } from '../../parameters/retryOptions';
import type { Source } from '../source';
import { fieldsToWatchField } from './fieldsToWatch';
import { filtersField } from './filters';

export function maxOption({ kind, maxName }: Source): NumberOption {
	return {
		displayName: `Max ${titled(kind.plural)} per Poll`,
		name: maxName,
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 50_000 },
		default: 5_000,
		description: `The most ${kind.plural} one execution receives; the next poll continues with the rest`,
	};
}

export function overlapOption({ kind: { plural } }: Source): NumberOption {
	return {
		displayName: 'Overlap',
		name: 'overlap',
		type: 'number',
		// A year. A date so far back can always be requested.
		typeOptions: { minValue: 1, maxValue: 525_600 },
		default: 5,
		description: `How many minutes each poll looks back before the previous one, for ${plural} that become visible late. Those reported before are not reported again.`,
	};
}

/** Returns the parameters of a trigger except the authentication. */
export function fieldsOf(source: Source): INodeProperties[] {
	const { singular, sinceDate } = source;
	const { plural } = source.kind;
	const title = titled(singular);
	const { new: onNew, newOrUpdated: onNewOrUpdated } = source.events;
	return [
		{
			displayName: 'Event',
			name: 'event',
			type: 'options',
			noDataExpression: true,
			options: [
				{ name: `New ${title}`, value: onNew, description: `Each ${singular} once, when this trigger first sees it` },
				{
					name: `New or Updated ${title}`,
					value: onNewOrUpdated,
					description: `Each ${singular} when this trigger first sees it, and again whenever its content has changed`,
				},
			],
			default: onNew,
		},
		{ ...fieldsToWatchField(source), displayOptions: { show: { event: [onNewOrUpdated] } } },
		{
			displayName: 'Start From',
			name: 'startFrom',
			type: 'options',
			noDataExpression: true,
			options: [
				{ name: 'Now', value: 'now', description: `Only ${plural} created after the workflow is activated` },
				{ name: 'A Date', value: 'date', description: `Also ${sinceDate}, which arrive first` },
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
		filtersField(source),
		optionsWith(
			{
				displayName: 'After a Restart',
				name: 'afterRestart',
				type: 'options',
				options: [
					{
						name: 'Always Repeat',
						value: 'repeat',
						description: `Nothing is lost, even after a kill: a restart repeats the ${plural} of the last execution`,
					},
					{
						name: 'Never Repeat',
						value: 'continue',
						description: `Nothing is repeated, but a kill while n8n stores an execution loses its ${plural}`,
					},
					{
						name: 'Repeat if Recent',
						value: 'repeatIfRecent',
						description: `Within five minutes, the last execution repeats; a kill and a longer stop can lose its ${plural}`,
					},
				],
				default: 'repeatIfRecent',
				description:
					'What to do after a restart of n8n, which may have ended before it stored the last execution. With durable cursors nothing is lost or repeated, and this option has no effect.',
			},
			maxOption(source),
			overlapOption(source),
		),
	];
}

/** Returns the texts for an AI that builds a workflow, and for the editor before the first test event. */
export function helpOf({ singular, kind: { plural } }: Source) {
	return {
		builderHint: {
			searchHint: `Needs no deduplication behind it: no Remove Duplicates, no store of seen IDs, no filter on dates. It emits each ${singular} once, or once per change. Only after a restart of n8n may it emit the ${plural} of the last execution again; where that does harm, upsert by id, or set an Idempotency Key made from the id.`,
		},
		triggerPanel: {
			executionsHelp: `<b>While building your workflow</b>, fetch a test event: up to five real ${plural} that pass the filters, from any time. It changes nothing.<br><br><b>Once you're happy</b>, publish. The first poll notes what is there and starts nothing, unless Start From is a date; after that, each poll starts the workflow with what is new. See Executions.`,
		},
	};
}
