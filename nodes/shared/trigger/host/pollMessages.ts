import type { IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { apiError, joined, nameInLog, operationError } from '../../errorText';
import type { Connection } from '../../service/connection/connection';
import type { Checkpoint, Redelivery, WhyNot } from '../core/delivery';
import { Endless, NoPage, Stalled, WrongState } from '../core/failures';
import type { Log } from '../core/log';
import type { RecordKind } from '../core/memory/fingerprint';
import type { Source } from '../source';

const MAX_ID_LENGTH = 80;

const ENDLESS =
	'Report this to the service: this trigger needs another cursor for each page. It starts over with every poll, and loses nothing meanwhile.';

const STALLED =
	'The service does not accept a cursor from one poll to the next, and one poll cannot read the whole list. Do one of these: poll more often; let everything else use another API key (with another credential, this trigger would start over); raise "Maximum Wait" under Options. Or duplicate this node, set "Start From" of the copy to a later date, connect it and delete this one. Nothing is lost meanwhile.';

const BECAUSE: Record<WhyNot, string> = {
	'never repeated': 'Never Repeat is chosen',
	'redelivered before': 'they were repeated before',
	'too old': 'they were emitted five minutes or more before this process began, or before this poll',
};

/** Makes the log of a poll from n8n's logger, without secrets. */
export function pollLog(functions: IPollFunctions, { redact }: Connection): Log {
	const { logger } = functions;
	const name = nameInLog(functions);
	// n8n's logger has a level (read in 1.123.81 and 2.41.1), though its type does not. A poll may decide on 50,000 records.
	const { level = 'debug' } = logger as { level?: string };
	const line = (message: string) => `${name}: ${redact(message)}`;
	return {
		warn: (message) => logger.warn(line(message)),
		info: (message) => logger.info(line(message)),
		debug: (message) => {
			if (level === 'debug') logger.debug(line(message));
		},
		decision: ({ id }, { verdict, because }) => {
			if (level !== 'debug') return;
			const text = typeof id === 'string' || typeof id === 'number' ? redact(String(id)) : 'without an id';
			const shown = text.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, MAX_ID_LENGTH);
			logger.debug(`${name}: ${shown}: ${verdict}, ${because}`);
		},
	};
}

export function tellRedelivery({ own, ofAnother, whyNot }: Redelivery, { plural }: RecordKind, log: Log): void {
	if (ofAnother !== undefined) {
		log.warn(
			`n8n was restarted, and may have ended before it stored the last ${plural} of this trigger: they are repeated (Options, After a Restart)`,
		);
	}
	const silent = own.filter(({ why }) => why === 'silent').length;
	if (silent > 0) log.warn(`n8n has said nothing of ${silent} executions for an hour: they are repeated once`);
	const rejected = own.length - silent;
	if (rejected > 0) log.debug(`redelivers what ${rejected} executions had: n8n did not store them`);
	if (whyNot !== undefined) {
		const level = whyNot === 'redelivered before' ? 'debug' : 'info';
		log[level](`the last ${plural} that another process emitted are not repeated: ${BECAUSE[whyNot]}`);
	}
}

export function tellOtherSubject(previous: Checkpoint | undefined, log: Log): void {
	const [changed, follows] = previous === undefined ? ['changed', 'starts over'] : ['changed back', 'continues'];
	log.info(`the credential, Base URL or Event has ${changed}, so this trigger ${follows}`);
}

/** Returns the error for n8n after a failure of the core. @param mayLose whether a state is saved that a start over would lose. */
export function errorOf(functions: IPollFunctions, failure: unknown, source: Source, mayLose: boolean): unknown {
	if (failure instanceof NoPage) return mayLose ? withWarning(failure.cause, source) : failure.cause;
	if (failure instanceof WrongState) {
		return operationError(functions.getNode(), failure.message, { description: adviceToStartOver(source) });
	}
	if (!(failure instanceof Endless || failure instanceof Stalled)) return failure;
	const description = failure instanceof Endless ? ENDLESS : STALLED;
	return apiError(functions.getNode(), failure.message, { description });
}

/** Adds a warning to an error that sends to the Base URL: with another one, the saved state does not count. */
function withWarning(error: unknown, { whereItWas }: Source): unknown {
	if (!(error instanceof NodeApiError) || error.description?.includes('Base URL') !== true) return error;
	const warning = `If you change the Base URL, this trigger starts over: to lose nothing, first set "Start From" to ${whereItWas}.`;
	error.description = joined(warning, error.description);
	return error;
}

/** @param problem the problem that `readCheckpoint` returned. */
export function stateError(functions: IPollFunctions, problem: string, source: Source): NodeOperationError {
	return operationError(functions.getNode(), `The saved state of this trigger cannot be used: ${problem}`, {
		description: adviceToStartOver(source),
	});
}

function adviceToStartOver({ whereItWas }: Source): string {
	return `Nothing was changed. To start over, duplicate this node, connect the copy and delete this one. To lose nothing, set "Start From" of the copy to ${whereItWas}.`;
}
