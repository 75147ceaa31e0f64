import type { IDataObject, ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { isObject } from '../shared/isObject';
import { EDITOR_RETRY, editorError, readably, wouldRun } from '../shared/parameters/editorLists';
import { normal } from '../shared/parameters/read';
import { connect } from '../shared/service/connection/connection';
import { requestContext } from '../shared/service/context';
import { MAX_PAGE, readPage } from '../shared/service/pages';
import { LIST_LEADS } from '../shared/service/reads';

// The service has no search. A search in the picker reads pages until it has enough results, and uses little of the rate limit.
const ENOUGH_RESULTS = 20;
const MAX_PAGES_PER_SEARCH = 10;

// The fields of a lead are a gap (API document, Resources, Gaps). Services commonly use these names.
const ID_FIELDS = ['id', 'lead_id', 'uuid', 'uid'];
const WHOLE_NAMES = ['name', 'full_name', 'fullName', 'display_name', 'displayName'];
const GIVEN_NAMES = ['first_name', 'firstName', 'given_name'];
const FAMILY_NAMES = ['last_name', 'lastName', 'family_name', 'surname'];
const OTHER_LABELS = ['username', 'handle', 'nickname', 'email', 'phone'];

/** Returns the next page of leads as the user scrolls, or the leads of the next pages whose label contains the typed text. */
export async function searchLeads(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const connection = await connect(this).catch(readably(this));
	const ctx = requestContext(this, connection, EDITOR_RETRY, 0);
	const wanted = normal(filter ?? '');
	const results: INodeListSearchItems[] = [];
	let leadsRead = 0;
	let cursor: string | null | undefined = paginationToken;
	for (let page = 0; page < MAX_PAGES_PER_SEARCH && cursor !== null; page++) {
		const query = { page_size: MAX_PAGE, ...(cursor !== undefined && { cursor }) };
		const envelope = await readPage(ctx, { ...LIST_LEADS, query });
		results.push(...itemsFor(this, envelope.data).filter(({ name }) => normal(name).includes(wanted)));
		leadsRead += envelope.data.length;
		cursor = envelope.nextCursor;
		if (results.length >= (wanted === '' ? 1 : ENOUGH_RESULTS)) break;
	}
	if (cursor === null || cursor === undefined) return { results };
	// The editor would say "No results": the user cannot scroll an empty list, and the editor asks for no more by itself.
	if (results.length === 0 && paginationToken === undefined) {
		const message = `None of the first ${leadsRead} leads matches`;
		const description = 'The list goes on. Choose "By ID", or find the lead with List Leads.';
		throw editorError(this, message, description);
	}
	return { results, paginationToken: cursor };
}

function itemsFor(functions: ILoadOptionsFunctions, leads: IDataObject[]): INodeListSearchItems[] {
	const described = leads.map(describeLead).filter((lead) => lead !== undefined);
	if (leads.length > 0 && described.length === 0) {
		const message = 'The leads of this service have no field that looks like an ID';
		const description = 'Choose "By ID" and map the field that has the lead ID.';
		throw editorError(functions, message, description);
	}
	return described.filter(({ id }) => !wouldRun(id)).map(({ id, label }) => ({ name: label, value: id }));
}

function firstText(object: IDataObject, fields: readonly string[]): string | undefined {
	for (const field of fields) {
		const value = object[field];
		if (typeof value === 'number') return String(value);
		if (typeof value === 'string' && value.trim() !== '') return value.trim();
	}
	return undefined;
}

function labelIn(object: IDataObject): string | undefined {
	const firstAndLast = [firstText(object, GIVEN_NAMES), firstText(object, FAMILY_NAMES)].filter(Boolean).join(' ');
	return firstText(object, WHOLE_NAMES) ?? (firstAndLast || firstText(object, OTHER_LABELS));
}

/** Returns a lead's ID and its best label, which is left out if n8n would run it; `undefined` without a field like an ID. */
export function describeLead(lead: IDataObject): { id: string; label: string } | undefined {
	const id = firstText(lead, ID_FIELDS);
	if (id === undefined) return undefined;
	// A profile or a contact inside the lead often has the name.
	const objects = [lead, ...Object.values(lead).filter(isObject)] as IDataObject[];
	const label = objects.map(labelIn).find((found) => found !== undefined);
	return { id, label: label === undefined || wouldRun(label) ? id : `${label} (${id})` };
}
