import type { IPollFunctions } from 'n8n-workflow';
import type { Connection } from '../../service/connection/connection';
import type { Ports } from '../core/ports';

const MAX_ID_LENGTH = 80;

/** Logs one line for each record of a poll, at the level debug. Costs next to nothing at other levels. */
export function decisionLog(functions: IPollFunctions, { redact }: Connection): Ports['logDecision'] {
	const { logger } = functions;
	// n8n's logger has its level (read in 1.123.81 and 2.41.1), though not in its type. A poll may decide on 50,000.
	const { level = 'debug' } = logger as { level?: string };
	if (level !== 'debug') return () => {};
	const { name } = functions.getNode();
	return ({ id }, { verdict, because }) => {
		const text = typeof id === 'string' || typeof id === 'number' ? redact(String(id)) : 'without an id';
		logger.debug(`${name}: ${text.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, MAX_ID_LENGTH)}: ${verdict}, ${because}`);
	};
}
