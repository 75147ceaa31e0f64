import type { IExecuteFunctions } from 'n8n-workflow';
import type { Connection } from './connection';
import { connect } from './connection';
import { Secrets } from './secrets';

/**
 * Returns a function from an input item's index to its connection. A credential without expressions is read from n8n's database
 * once; if this fails, every waiting item fails, and the next one reads again. One with expressions is read for each item. The
 * connections come in the order in which they were asked for: the order of items tells alike changes apart.
 */
export function connectionsOf(functions: IExecuteFunctions): (itemIndex: number) => Promise<Connection> {
	const secrets = new Secrets();
	const mayShare = canWatch(functions);
	let shared: Promise<Connection | undefined> | undefined;
	let previous: Promise<unknown> = Promise.resolve();

	/** Returns the connection of all items; `undefined` when the credential has expressions. */
	const forAll = async (itemIndex: number) => {
		const { index, wasUsed } = watchedIndex(itemIndex);
		const connection = await connect(functions, { itemIndex, indexForN8n: index, secrets }).catch((error: unknown) => {
			if (wasUsed()) return undefined;
			shared = undefined;
			throw error;
		});
		return connection === undefined || wasUsed() ? undefined : { ...connection, target: undefined };
	};

	return async (itemIndex) => {
		const connection = mayShare ? await (shared ??= forAll(itemIndex)) : undefined;
		if (connection !== undefined) return connection;
		const own = previous.catch(() => {}).then(async () => await connect(functions, { itemIndex, secrets }));
		previous = own;
		return await own;
	};
}

/** Makes an index that notices its use: n8n uses it only for a credential's expression (read in n8n 1.123.81 and 2.41.1). */
function watchedIndex(itemIndex: number): { index: number; wasUsed: () => boolean } {
	let used = false;
	const use = () => {
		used = true;
		return itemIndex;
	};
	return { index: { [Symbol.toPrimitive]: use } as unknown as number, wasUsed: () => used };
}

/** Whether a watched index notices its use in this n8n. */
function canWatch(functions: IExecuteFunctions): boolean {
	const { index, wasUsed } = watchedIndex(0);
	try {
		functions.evaluateExpression('{{ 1 }}', index);
	} catch {
		return false;
	}
	return wasUsed();
}
