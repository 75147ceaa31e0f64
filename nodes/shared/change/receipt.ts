import type { IDataObject } from 'n8n-workflow';
import type { Call } from '../service/call';
import type { RequestContext } from '../service/context';
import { request } from '../service/request';

/** The fields that every write adds to the service's response. */
export interface Receipt {
	idempotencyKey: string;
	/** Whether the service reports that the change was made before. */
	replayed: boolean;
	requestId: string;
}

/**
 * Makes one change and returns the service's response with its receipt. The body of the response is a gap of the API
 * document (Endpoints, Gaps): an object is merged in. Anything else is returned as `answer`, and so is an object with a
 * field named `error`, which n8n would take for a failed run.
 *
 * @throws NodeApiError when the service rejects the change, fails, or cannot be reached.
 */
export async function write(
	ctx: RequestContext,
	call: Call & { idempotencyKey: string },
): Promise<IDataObject & Receipt> {
	const { body, replayed, requestId } = await request(ctx, call);
	return { ...responseFields(body), idempotencyKey: call.idempotencyKey, replayed, requestId };
}

function responseFields(body: unknown): IDataObject {
	if (body === undefined || body === null) return {};
	const mergeable = typeof body === 'object' && !Array.isArray(body) && !('error' in body);
	return mergeable ? (body as IDataObject) : { answer: body as IDataObject };
}
