import type { IDataObject, ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { EDITOR_RETRY, readable } from '../shared/parameters/editorLists';
import { connect } from '../shared/service/connection/connection';
import { LIST_LEADS } from '../shared/service/reads';
import { MAX_PAGE, readPage } from '../shared/service/pages';
import { requestContext } from '../shared/service/context';
import { describeLead } from './describeLead';

// The service has no search: a search reads pages until it has enough, and leaves most of the read budget.
const ENOUGH_RESULTS = 20;
const MAX_PAGES_PER_SEARCH = 10;

/**
 * The list of the lead picker: one page of leads as the user scrolls, or the leads of the next pages whose label,
 * which has the ID, contains what was typed.
 */
export async function searchLeads(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const connection = await connect(this).catch((error: unknown) => {
		throw readable(this, error);
	});
	const ctx = requestContext(this, connection, EDITOR_RETRY, 0);
	const wanted = (filter ?? '').trim().toLowerCase();
	const results: INodeListSearchItems[] = [];
	let cursor: string | null | undefined = paginationToken;
	for (let page = 0; page < MAX_PAGES_PER_SEARCH && cursor !== null; page++) {
		const query: Record<string, string | number> = { page_size: MAX_PAGE };
		if (cursor !== undefined) query.cursor = cursor;
		const envelope = await readPage(ctx, { ...LIST_LEADS, query });
		for (const item of itemsFor(this, envelope.data)) {
			if (item.name.toLowerCase().includes(wanted)) results.push(item);
		}
		cursor = envelope.nextCursor;
		if (wanted === '' || results.length >= ENOUGH_RESULTS) break;
	}
	return cursor === null || cursor === undefined ? { results } : { results, paginationToken: cursor };
}

function itemsFor(functions: ILoadOptionsFunctions, leads: IDataObject[]): INodeListSearchItems[] {
	const described = leads.map(describeLead).filter((lead) => lead !== undefined);
	if (leads.length > 0 && described.length === 0) {
		const message = 'The leads of this service have no field that looks like an ID';
		const description = 'Choose "By ID" and map the field that has the lead ID.';
		throw readable(functions, new NodeOperationError(functions.getNode(), message, { description }));
	}
	// n8n would run an id that begins with "=" as an expression, and the service's data is no code.
	return described.filter(({ id }) => !id.startsWith('=')).map(({ id, label }) => ({ name: label, value: id }));
}
