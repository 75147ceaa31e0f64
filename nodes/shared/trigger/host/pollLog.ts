import type { IPollFunctions } from 'n8n-workflow';
import type { Connection } from '../../service/connection/connection';
import type { Ports } from '../core/ports';

const MAX_ID_LENGTH = 80;

export type PollLog = Pick<Ports, 'warn' | 'info' | 'logDecision'>;

/** A poll's lines in n8n's log, without secrets. One for each record costs next to nothing unless the level is debug. */
export function pollLog(functions: IPollFunctions, { redact }: Connection): PollLog {
	const { logger } = functions;
	const { name } = functions.getNode();
	// n8n's logger has its level (read in 1.123.81 and 2.41.1), though not in its type. A poll may decide on 50,000.
	const { level = 'debug' } = logger as { level?: string };
	return {
		warn: (message) => logger.warn(`${name}: ${redact(message)}`),
		info: (message) => logger.info(`${name}: ${redact(message)}`),
		logDecision: ({ id }, { verdict, because }) => {
			if (level !== 'debug') return;
			const text = typeof id === 'string' || typeof id === 'number' ? redact(String(id)) : 'without an id';
			const shown = text.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, MAX_ID_LENGTH);
			logger.debug(`${name}: ${shown}: ${verdict}, ${because}`);
		},
	};
}
