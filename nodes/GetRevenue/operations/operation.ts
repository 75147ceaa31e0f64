import type { Call } from '../../shared/service/call';
import type { Returned } from '../returned';

/** One operation of Get Revenue: a GET of the service. */
export interface RevenueOperation {
	name: string;
	/** `get` and what it returns, in camelCase: the node shows that below its name. */
	value: string;
	action: string;
	description: string;
	call: Call;
	returns: Returned;
}
