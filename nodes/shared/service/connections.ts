import type { IExecuteFunctions } from 'n8n-workflow';
import type { Connection } from './connection';
import { connect } from './connection';
import { Secrets } from './secrets';

/** The connection of an input item of the run. */
export type Connections = (itemIndex: number) => Promise<Connection>;

/**
 * The connections of a run. A credential without expressions is read from n8n's database once for all items, and again
 * after a failure; one with expressions is read for each item, for it may give each another key.
 */
export function connectionsOf(functions: IExecuteFunctions): Connections {
	const secrets = new Secrets();
	let perItem = false;
	let shared: Promise<Connection> | undefined;

	// n8n does not say whether a credential has expressions. Yet it looks up the item for every expression, and for nothing
	// else (read in n8n 1.123.81 and 2.41.1): so the item's number is one that notices when it is used.
	const noticing = (itemIndex: number | undefined) => {
		const use = () => {
			perItem = true;
			return itemIndex;
		};
		return { [Symbol.toPrimitive]: use } as unknown as number;
	};
	/** Whether that holds in this n8n. */
	const canNotice = () => {
		try {
			functions.evaluateExpression('{{ 1 }}', noticing(0));
		} catch {
			return false;
		}
		return perItem;
	};
	perItem = functions.getInputData().length === 1 || !canNotice();
	const watched = Object.create(functions, {
		getCredentials: {
			value: async (type: string, itemIndex?: number) => await functions.getCredentials(type, noticing(itemIndex)),
		},
	}) as IExecuteFunctions;

	return async (itemIndex) => {
		if (!perItem) {
			shared ??= connect(watched, {}, itemIndex, secrets);
			const connection = await shared.catch((error: unknown) => {
				shared = undefined;
				if (!perItem) throw error;
			});
			if (connection !== undefined && !perItem) return connection;
		}
		return { ...(await connect(functions, {}, itemIndex, secrets)), variesByItem: functions.getInputData().length > 1 };
	};
}
