import type { ILoadOptionsFunctions, NodeHint } from 'n8n-workflow';
import type { EditorList } from '../../shared/list/editorFields';
import { FIELDS } from '../../shared/list/output';
import { getManualRecords } from './manualRecords';
import type { RevenueOperation } from './operation';
import { getSummary } from './summary';
import { getTransactions } from './transactions';

/** All operations. n8n's guidelines require options sorted by name. */
export const OPERATIONS: readonly RevenueOperation[] = [getManualRecords, getTransactions, getSummary];

export const LISTS = OPERATIONS.flatMap(({ value, call, returns }) =>
	'list' in returns ? [{ value, call, list: returns.list }] : [],
);

export function chosenList(functions: ILoadOptionsFunctions): EditorList | undefined {
	const operation = functions.getNodeParameter('operation');
	const found = LISTS.find(({ value }) => value === operation);
	return found && { ...found.list, call: { ...found.call, purpose: 'get a few records for the list of fields' } };
}

const DOCUMENTED = JSON.stringify(Object.fromEntries(LISTS.map(({ value, list }) => [value, list.columns])));

/** The editor shows this warning by itself: a declarative node cannot add hints (read in 2.41.1 and 1.123.81). */
export const UNDOCUMENTED_FIELD_HINT: NodeHint = {
	type: 'warning',
	message: `"${FIELDS}" has a field that the service does not document. Records that lack it are returned without it. Check its spelling: upper and lower case differ, and a field inside another one cannot be selected.`,
	displayCondition: `={{ $parameter["output"] === "selectedFields" && String($parameter["fields"] ?? "").split(",").map((name) => name.trim()).some((name) => name !== "" && !(${DOCUMENTED}[$parameter["operation"]] ?? [name]).includes(name)) }}`,
	whenToDisplay: 'always',
	location: 'outputPane',
};
