import type { IDataObject } from 'n8n-workflow';
import type { Call } from './call';
import type { RequestContext } from './request';
import { request } from './request';

/** What every write says about itself beside the service's own answer. */
export interface Receipt {
	idempotencyKey: string;
	/** Whether the service says that this change had been made before. */
	replayed: boolean;
	requestId: string;
}

/**
 * Makes one change and gives the service's answer with its receipt. The body of the answer is a gap of the API document
 * (Endpoints, Gaps): an object is merged in; anything else, or an object with a field named `error`, which n8n would
 * take for a failed run, comes under `answer`.
 *
 * @throws NodeApiError when the service refuses, fails, or cannot be reached.
 */
export async function write(
	ctx: RequestContext,
	call: Call & { idempotencyKey: string },
): Promise<IDataObject & Receipt> {
	const { body, replayed, requestId } = await request(ctx, call);
	return { ...answerFields(body), idempotencyKey: call.idempotencyKey, replayed, requestId };
}

function answerFields(body: unknown): IDataObject {
	if (body === undefined || body === null) return {};
	const mergeable = typeof body === 'object' && !Array.isArray(body) && !('error' in body);
	return mergeable ? (body as IDataObject) : { answer: body as IDataObject };
}
