import type { Call } from './call';
import type { ServicePath } from './schemas';

/**
 * GET /v1/leads/ (API document, Operations). Its scope is a gap (Authentication, Gaps); the document lists this scope for
 * reading leads.
 */
export const LIST_LEADS: Call = {
	method: 'GET',
	path: '/v1/leads/' satisfies ServicePath,
	purpose: 'list leads',
	needs: 'most likely the scope leads:read',
};
