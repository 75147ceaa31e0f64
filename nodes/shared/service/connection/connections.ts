import type { IExecuteFunctions } from 'n8n-workflow';
import type { Connection } from './connection';
import { connect } from './connection';
import { Secrets } from './secrets';

/**
 * Returns a function from an input item's index to the item's connection. A credential without expressions is read from n8n's
 * database once for all items. If this read fails, every waiting item fails with the error of `connect` or of n8n, and the next
 * item reads again. A credential with expressions is read for each item, which may have its own API key and `target`. The
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

/**
 * Makes an item's index that notices when n8n uses it. For a credential, n8n uses the index only to resolve an expression in a
 * field (read in n8n 1.123.81 and 2.41.1). Nothing else tells whether a credential has an expression.
 */
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
