import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { EDITOR_RETRY, readable } from '../../parameters/editorLists';
import { readRetryOptions } from '../../parameters/retryOptions';
import { connect } from '../../service/connection/connection';
import { MAX_PAGE, pages } from '../../service/pages';
import { requestContext } from '../../service/request';
import { FILTERS, textOf } from './filters';
import { LIST_TRANSACTIONS } from '../host/recordPages';

// This leaves most of the read budget, 120 requests a minute, to the workflows.
const MAX_PAGES = 5;

const underWay = new Map<string, Promise<IDataObject[]>>();

/** For the name of each filter, the method that lists its values in the editor, the most frequent first. */
export const filterValues = Object.fromEntries(
	FILTERS.map(({ name }) => [
		name,
		async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
			const transactions = await readTransactions(this).catch((error: unknown) => {
				throw readable(this, error);
			});
			return valuesIn(transactions, name);
		},
	]),
);

/** The editor lists the values of all filters at once, so they share one read. @throws NodeApiError when it fails. */
async function readTransactions(functions: ILoadOptionsFunctions): Promise<IDataObject[]> {
	const retry = readRetryOptions({ node: functions.getNode(), itemIndex: 0 }, EDITOR_RETRY);
	const connection = await connect(functions);
	const key = connection.budgetKey;
	const read = async () => {
		const transactions: IDataObject[] = [];
		const ctx = requestContext(functions, connection, retry, 0);
		let read = 0;
		for await (const page of pages(ctx, LIST_TRANSACTIONS, { limit: MAX_PAGES * MAX_PAGE })) {
			transactions.push(...page);
			// The service may return fewer records on a page than requested.
			if (++read === MAX_PAGES) break;
		}
		return transactions;
	};
	const reading = underWay.get(key) ?? read().finally(() => underWay.delete(key));
	underWay.set(key, reading);
	return await reading;
}

function valuesIn(transactions: IDataObject[], name: string): INodePropertyOptions[] {
	const found = new Map<string, { value: string; count: number }>();
	for (const transaction of transactions) {
		const value = textOf(transaction[name] ?? '');
		// n8n would run a value that begins with "=" as an expression, and the service's data must not run.
		if (value === '' || value.startsWith('=')) continue;
		const normal = value.toLowerCase();
		found.set(normal, { value, ...found.get(normal), count: (found.get(normal)?.count ?? 0) + 1 });
	}
	return [...found.values()]
		.sort((a, b) => b.count - a.count || a.value.localeCompare(b.value))
		.map(({ value, count }) => ({
			name: value,
			value,
			description: `${count} of the ${transactions.length} transactions read`,
		}));
}
