import type { IExecuteFunctions } from 'n8n-workflow';
import type { Connection } from './connection';
import { connect } from './connection';
import { Secrets } from './secrets';

/**
 * Returns the connections of a run by the index of an input item. A credential without expressions is read from n8n's database
 * once for all items: if that fails, so does every item that waits for it, with the error of `connect` or n8n's own, and the
 * next item reads again. One with expressions is read for each item, which may have its own key, and `target`.
 */
export function connectionsOf(functions: IExecuteFunctions): (itemIndex: number) => Promise<Connection> {
	const secrets = new Secrets();
	const mayShare = canWatch(functions);
	let shared: Promise<Connection | undefined> | undefined;

	/** The connection of all items; undefined when the credential has expressions. */
	const forAll = async (itemIndex: number) => {
		const { index, wasUsed } = watchedIndex(itemIndex);
		const connection = await connect(functions, {}, itemIndex, secrets, index).catch((error: unknown) => {
			if (wasUsed()) return undefined;
			shared = undefined;
			throw error;
		});
		return connection === undefined || wasUsed() ? undefined : { ...connection, target: undefined };
	};

	return async (itemIndex) => {
		const connection = mayShare ? await (shared ??= forAll(itemIndex)) : undefined;
		return connection ?? (await connect(functions, {}, itemIndex, secrets));
	};
}

/**
 * An item's index that notices when n8n uses it. n8n uses it for a credential only to resolve an expression in one of its
 * fields (read in n8n 1.123.81 and 2.41.1). Nothing else tells whether a credential has one.
 */
function watchedIndex(itemIndex: number): { index: number; wasUsed: () => boolean } {
	let used = false;
	const use = () => {
		used = true;
		return itemIndex;
	};
	return { index: { [Symbol.toPrimitive]: use } as unknown as number, wasUsed: () => used };
}

/** Whether this n8n uses an index that way. */
function canWatch(functions: IExecuteFunctions): boolean {
	const { index, wasUsed } = watchedIndex(0);
	try {
		functions.evaluateExpression('{{ 1 }}', index);
	} catch {
		return false;
	}
	return wasUsed();
}
