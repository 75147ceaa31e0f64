import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { listFields } from '../shared/list/editorFields';
import { pathsIn } from '../shared/list/paths';
import { LIST_LEADS } from '../shared/service/reads';

/** The fields of a few real leads, for the editor: the API document does not name them. */
export async function leadFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await listFields(this, LIST_LEADS);
}

/** The paths of these fields and of the fields inside them, for the conditions. */
export async function leadPaths(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await listFields(this, LIST_LEADS, [], pathsIn);
}
