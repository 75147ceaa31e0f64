import type { IExecuteFunctions } from 'n8n-workflow';
import type { Connection } from './connection';
import { connect } from './connection';
import { functionsWith } from './functionsWith';
import { Secrets } from './secrets';

/** Returns the connection of an input item of the run. */
export type Connections = (itemIndex: number) => Promise<Connection>;

/**
 * The connections of a run. A credential without expressions is read from n8n's database once for all items, and again
 * after a failure. One with expressions is read for each item, which may have its own key.
 */
export function connectionsOf(functions: IExecuteFunctions): Connections {
	const secrets = new Secrets();
	let perItem = false;
	let shared: Promise<Connection> | undefined;

	// n8n does not say whether a credential has expressions. But it looks up the item for every expression, and for nothing
	// else (read in n8n 1.123.81 and 2.41.1), so the index passed here notices when it is used.
	const noticing = (itemIndex: number | undefined) => {
		const use = () => {
			perItem = true;
			return itemIndex;
		};
		return { [Symbol.toPrimitive]: use } as unknown as number;
	};
	/** Whether that is true of this n8n. */
	const canNotice = () => {
		try {
			functions.evaluateExpression('{{ 1 }}', noticing(0));
		} catch {
			return false;
		}
		return perItem;
	};
	perItem = functions.getInputData().length === 1 || !canNotice();
	const watched = functionsWith(functions, {
		getCredentials: async <T extends object>(type: string, itemIndex?: number) =>
			await functions.getCredentials<T>(type, noticing(itemIndex)),
	});

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
