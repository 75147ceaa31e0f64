import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { nameInLog } from '../errorText';
import { systemClock } from '../service/clock';
import { connect } from '../service/connection/connection';
import { isAwaited, occasionOf } from './core/occasion';
import { pollOnce } from './core/pollOnce';
import type { Ports } from './core/ports';
import type { Claim } from './host/claims';
import { claimPoll } from './host/claims';
import { itemsOf } from './host/emittedItems';
import { pollLog } from './host/pollMessages';
import { PollTime } from './host/pollTime';
import { RecordPages } from './host/recordPages';
import { openStore } from './host/store/store';
import type { Trigger } from './host/store/trigger';
import { pollingTrigger } from './host/store/trigger';
import { readSettings } from './parameters/settings';
import type { Source } from './source';
import { testEvent } from './testEvent';

const TOLD_EVERY_MS = 3_600_000;

/**
 * Starts an execution with the new and changed records, and returns null; under durable cursors it returns the items. In the editor
 * it returns a test event. A poll that throws before it saves changes nothing; one of n8n's own start logs its failure instead.
 * @throws NodeApiError with its cause where that is known, otherwise with the service's HTTP code: n8n bases its backoff on
 * these. NodeOperationError for a parameter or a saved state that cannot be used.
 */
export async function poll(functions: IPollFunctions, source: Source): Promise<INodeExecutionData[][] | null> {
	if (functions.getMode() === 'manual') return [await testEvent(functions, source)];
	const trigger = pollingTrigger(functions, source);
	const claim = claimPoll(functions, trigger);
	if (claim === undefined) return doNothing(functions, trigger, 'the previous poll is still under way');
	try {
		return await pollTrigger(functions, source, claim).catch(claim.fail);
	} finally {
		claim.release();
	}
}

async function pollTrigger(
	functions: IPollFunctions,
	source: Source,
	claim: Claim,
): Promise<INodeExecutionData[][] | null> {
	const connection = await connect(functions);
	const settings = readSettings(functions, connection, source);
	const log = pollLog(functions, connection);
	const store = openStore(functions, claim, settings.store, source, log);
	if (store === undefined) {
		return doNothing(functions, claim.trigger, 'n8n read the state before it stored that of the previous poll');
	}
	const { previous, activatedAt, redelivery } = store;

	const occasion = occasionOf(previous, claim.isActivation, claim.isAtStart);
	const time = new PollTime(functions, isAwaited(occasion), settings.retry);
	const pages = new RecordPages(functions, connection, source, time, occasion);
	const ports: Ports = {
		kind: source.kind,
		fetchPage: pages.fetch,
		fetchTime: pages.fetchTime,
		hasTime: () => time.hasTimeForPage(),
		now: () => systemClock.now(),
		occasion,
		activatedAt,
		log,
	};
	const polled = await pollOnce(previous, settings.poll, ports, redelivery).catch(store.fail);

	const items = itemsOf(polled.emitted, settings.poll.keepsContent);
	const result = await store.finish({ polled, items, hasRecords: pages.recordsRead > 0 }).catch(store.fail);
	return result === undefined ? doNothing(functions, claim.trigger, 'another poll took over meanwhile') : result;
}

// While hundreds of triggers wait for one rate limit, nearly each poll begins before the previous one ends.
function doNothing(functions: IPollFunctions, trigger: Trigger, because: string): null {
	const now = systemClock.monotonic();
	const message = `${nameInLog(functions)}: ${because}, so this poll does nothing`;
	const toldAt = trigger.toldAt.get(because) ?? -Infinity;
	if (now - toldAt < TOLD_EVERY_MS) functions.logger.debug(message);
	else {
		functions.logger.info(message);
		trigger.toldAt.set(because, now);
	}
	return null;
}
