import type { Exception } from '../../../scripts/lint/writeExceptions.ts';
import type { Attempt, ItemAttempt } from './records.ts';
import type { Change, Mismatch, WriteRequest } from './service.ts';
import { contentOf } from './service.ts';
import type { World } from './world.ts';

/** What a run of the simulation must never show. */
export class Violation extends Error {}

type Request = WriteRequest<ItemAttempt>;

function fail(what: string, ...items: Array<ItemAttempt | undefined>): never {
	const where = items
		.filter((item) => item !== undefined)
		.map(({ attempt, index, identity }) => `item ${index} of attempt ${attempt.id} at ${attempt.scope} (${identity})`);
	throw new Violation([what, ...where].join('\n  '));
}

/** Compares the service's journal with what the user intended. Returns the exceptions that were needed. */
export function checkWrites({ service, attempts, executions, schedule }: World): Set<Exception> {
	const met = new Set<Exception>();
	const items = attempts.flatMap((attempt) => attempt.items.filter((item) => item !== undefined));
	const requestsByKey = groupBy(service.requests, nameOfKey);
	const changesByKey = groupBy(service.changes, ({ request }) => nameOfKey(request));

	for (const requests of requestsByKey.values()) checkKey(requests);
	for (const request of service.requests) checkContent(request, requestsByKey.get(nameOfKey(request)) ?? []);
	for (const mismatch of service.mismatches) checkMismatch(mismatch);
	for (const attempt of attempts) checkAttempt(attempt);
	for (const unit of groupBy(items, ({ attempt }) => attempt.unit).values()) checkUnit(unit);
	for (const item of items) {
		if (item.made !== undefined) checkMade(item);
		if (item.failed !== undefined) checkStatement(item);
	}
	checkNothingTwice();
	checkCameThrough();
	for (const changes of changesByKey.values()) if (changes.length > 1) met.add('forgotten key');
	return met;

	/** A key never names two intentions: each of its requests is for the same as some other one. */
	function checkKey(requests: Request[]): void {
		const { key } = requests[0]!;
		const senders = new Set(requests.map(({ sender }) => sender));
		const unlinked = strangersIn(senders, key);
		if (unlinked.size === 0) return;
		// An attempt whose request did not reach the service links the others, if it chose the key.
		const inBetween = items.filter((item) =>
			[...senders].some(
				({ attempt, identity }) => attempt.inherits.includes(item.attempt.id) && item.identity === identity,
			),
		);
		const [stranger] = [...strangersIn(new Set([...senders, ...inBetween]), key)].filter((one) => senders.has(one));
		if (stranger !== undefined) fail('a key names two intentions', requests[0]!.sender, stranger);
	}

	/** What is sent is what the item means now, or what an earlier attempt at it sent first. */
	function checkContent(request: Request, withKey: Request[]): void {
		const { sender, key } = request;
		const content = contentOf(request);
		if (sender.meant !== undefined && sender.meant !== content) {
			fail(`${content} was sent, not ${sender.meant}`, sender);
		}
		const { ownKey, attempt } = sender;
		if (ownKey !== undefined && !attempt.node.ownKey.isComputed && isUuid4(ownKey) && key !== ownKey.toLowerCase()) {
			fail('a UUID of the user was not sent as it is', sender);
		}
		if (content === sender.intended) return;
		const isKept = withKey.some(
			(earlier) =>
				contentOf(earlier) === content &&
				sender.attempt.inherits.includes(earlier.sender.attempt.id) &&
				earlier.sender.identity === sender.identity,
		);
		// A request that did not reach the service is not in its journal.
		const isLost = items.some(
			(earlier) =>
				sender.attempt.inherits.includes(earlier.attempt.id) &&
				earlier.identity === sender.identity &&
				(earlier.intended === content || earlier.requests.some((sent) => contentOf(sent) === content)),
		);
		if (!isKept && !isLost) fail(`${content} was sent, not ${sender.intended}`, sender);
	}

	/** A key comes with other content only where the node cannot know, or where the user says so. */
	function checkMismatch({ request, made }: Mismatch<ItemAttempt>): void {
		const { sender } = request;
		if (sender.hasOwnKey) return;
		const knew = sender.attempt.inherits.includes(made.request.sender.attempt.id);
		if (knew || !sender.isComputed || sender.attempt.id === made.request.sender.attempt.id) {
			fail('a key came with other content', made.request.sender, sender);
		}
		met.add(schedule.gaps.onOtherBody === 'replay' ? 'computed, replayed' : 'computed, rejected');
	}

	/** Every item comes out, with the change or with an error. */
	function checkAttempt({ ended, items: begun, size }: Attempt): void {
		if (ended !== 'success') return;
		const outcomes = begun.filter((item) => item?.made !== undefined || item?.failed !== undefined);
		if (outcomes.length !== size) fail(`${outcomes.length} of ${size} items came out`, begun[0]);
	}

	/** No item takes another's change for its own. */
	function checkUnit(unit: ItemAttempt[]): void {
		const known = new Map<string, ItemAttempt>();
		for (const item of unit) {
			for (const { key } of item.requests) {
				const name = `${item.organization} ${key}`;
				const other = known.get(name);
				if (other !== undefined && elementOf(other) !== elementOf(item) && !haveSameOwnKey(other, item)) {
					fail('two changes have one key', other, item);
				}
				known.set(name, item);
			}
		}
	}

	/** A response is given to its own item, and says what was made. */
	function checkMade(item: ItemAttempt): void {
		const { key, id, shown } = item.made!;
		const change = changesOf(item, key).find((one) => one.id === id);
		if (change === undefined) fail('an item has the response to another change, or to none', item);
		const content = contentOf(change.request);
		const isReplacement = service.mismatches.some(({ request, made }) => request.sender === item && made === change);
		if (isReplacement) return;
		if (shown !== undefined && shown !== content) fail(`an item shows ${shown}, but ${content} was made`, item);
		if (!item.requests.some((request) => request.key === key && contentOf(request) === content)) {
			fail(`an item has the response to ${content}, which it did not send`, item);
		}
	}

	/** `mayHaveBeenMade: false` is never wrong, and the key is the item's own. */
	function checkStatement(item: ItemAttempt): void {
		const { key, mayHaveBeenMade, at } = item.failed!;
		if (key !== null) {
			const senders = (requestsByKey.get(`${item.organization} ${key}`) ?? []).map(({ sender }) => sender);
			if (senders.length > 0 && !senders.some((sender) => sender === item || isSameIntention(item, sender, key))) {
				fail('a failed item has the key of another change', item, senders[0]);
			}
		}
		const isEarlierTry = ({ attempt: { id, executionId }, index }: ItemAttempt) =>
			item.attempt.inherits.includes(id) && executionId === item.attempt.executionId && index === item.index;
		const mayHaveMade = ({ made, failed }: ItemAttempt) => made !== undefined || failed?.mayHaveBeenMade === true;
		if (item.attempt.ended === 'success' && mayHaveBeenMade !== true) {
			const earlier = items.find((other) => isEarlierTry(other) && mayHaveMade(other));
			if (earlier !== undefined) fail('a failed item does not say that a try may have made its change', item, earlier);
		}
		if (mayHaveBeenMade !== false) return;
		const sentBefore = service.changes.filter(
			({ request: { sender, sentAt } }) => sentAt <= at && sender.attempt.id <= item.attempt.id,
		);
		if (key !== null) {
			const made = sentBefore.find(({ request }) => request.key === key && request.organization === item.organization);
			if (made !== undefined) fail('a failed item says that its change was not made, but it was', item, senderOf(made));
			return;
		}
		// Items with the same identity are interchangeable.
		const isAlike = (other: ItemAttempt | undefined) =>
			other?.identity === item.identity && other.attempt.scope === item.attempt.scope;
		const isEarlier = (sender: ItemAttempt) =>
			sender.attempt !== item.attempt &&
			(sender.attempt.unit !== item.attempt.unit || elementOf(sender) === elementOf(item));
		const made = sentBefore.map(senderOf).filter((sender) => isAlike(sender) && isEarlier(sender));
		const alike = item.attempt.items.filter(isAlike);
		const notMade = alike.filter((other) => other?.failed?.key === null && other.failed.mayHaveBeenMade === false);
		if (made.length + notMade.length > alike.length) {
			fail('a failed item says that its change was not made, but it was', item, ...made);
		}
	}

	function checkNothingTwice(): void {
		for (const changes of groupBy(service.changes, intentionOf).values()) {
			const { sender } = changes[0]!.request;
			if (sender.hasOwnKey) {
				checkOwnKey(changes);
				continue;
			}
			const lineages = groupBy(changes, ({ request }) => request.sender.attempt.lineage);
			for (const [lineage, within] of lineages) {
				const intended = most(
					items.filter(({ attempt, identity }) => attempt.lineage === lineage && identity === sender.identity),
					({ attempt }) => attempt.scope === sender.attempt.scope,
				);
				if (keysOf(within) > intended) fail(`made ${keysOf(within)} times, not ${intended}`, ...within.map(senderOf));
			}
			if (lineages.size > 1) met.add('no token');
		}
		// After an edit only the content tells which change is the same.
		const byContent = groupBy(
			service.changes,
			({ request }) => `${request.organization} ${request.sender.attempt.scope} ${contentOf(request)}`,
		);
		for (const [, changes] of byContent) {
			const senders = changes.map(senderOf);
			if (keysOf(changes) < 2 || senders.some(({ hasOwnKey }) => hasOwnKey)) continue;
			const content = contentOf(changes[0]!.request);
			const { scope } = senders[0]!.attempt;
			const intended = most(
				items.filter(
					(item) =>
						item.attempt.scope === scope &&
						(item.intended === content || item.requests.some((sent) => contentOf(sent) === content)),
				),
			);
			if (keysOf(changes) <= intended) continue;
			const areRelated = senders.every((one) => senders.every((other) => isRelated(one.attempt, other.attempt)));
			if (areRelated) fail(`made ${keysOf(changes)} times, not ${intended}, after an edit`, ...senders);
			if (new Set(senders.map(({ attempt }) => attempt.lineage)).size === 1) met.add('edited after a crash');
		}
	}

	function checkOwnKey(changes: Array<Change<ItemAttempt>>): void {
		const { sender } = changes[0]!.request;
		if (!sender.attempt.node.ownKey.isComputed) {
			if (keysOf(changes) > 1) fail('an own key was sent as two', ...changes.map(senderOf));
			return;
		}
		const same = service.changes.filter(
			({ request }) =>
				request.sender.attempt.scope === sender.attempt.scope && request.sender.identity === sender.identity,
		);
		const intended = most(
			items.filter(({ attempt, identity }) => attempt.scope === sender.attempt.scope && identity === sender.identity),
		);
		if (keysOf(same) <= intended) return;
		const attemptsAt = same.map(({ request }) => request.sender.attempt);
		if (attemptsAt.every((one) => attemptsAt.every((other) => isRelated(one, other)))) {
			fail(`made ${keysOf(same)} times, not ${intended}, with an own key`, ...same.map(senderOf));
		}
		met.add('own key that differs');
	}

	/** After the faults are over, a retry makes what is missing. */
	function checkCameThrough(): void {
		const last = new Map(executions.map((execution) => [execution.lineage, execution]));
		for (const { id, status, lineage } of last.values()) {
			if (status === 'success' || status === 'canceled') continue;
			if (
				executions.some((one) => one.lineage === lineage && (one.status === 'success' || one.status === 'canceled'))
			) {
				continue;
			}
			if (status === 'running') fail(`execution ${id} has not ended`);
			if (status === 'crashed' || schedule.host.startsWith('engine')) continue;
			const attempt = attempts.findLast(({ executionId }) => executionId === id);
			const failed = attempt?.items.find((item) => item?.failed !== undefined);
			if (attempt === undefined || failed === undefined) {
				if (executions.some((one) => one.mode === 'integrated' && one.status === 'error')) continue;
				fail(`execution ${id} fails for no reason`);
			}
			const isUnusable = failed.intended === undefined || (failed.hasOwnKey && failed.ownKey === undefined);
			const isOther = service.mismatches.some(({ request }) => request.sender === failed);
			// The service rejects a key that is still under way, and the nodes send several items at once.
			const isUnderWay = attempt.items.some(
				(item) => item !== undefined && item !== failed && haveSameOwnKey(item, failed),
			);
			if (!isUnusable && !isOther && !isUnderWay) fail('a retry does not come through', failed);
		}
	}

	function changesOf({ organization }: ItemAttempt, key: string): Array<Change<ItemAttempt>> {
		return changesByKey.get(`${organization} ${key}`) ?? [];
	}
}

function isUuid4(text: string): boolean {
	return /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i.test(text);
}

/** Whether two items, perhaps of two attempts, are one change to the user. */
function isSameIntention(one: ItemAttempt, other: ItemAttempt, key: string): boolean {
	if (one.organization !== other.organization) return false;
	if (haveSameOwnKey(one, other)) return true;
	// The key of an item that failed, to make the same change by another node.
	if ([one, other].some(({ ownKey }) => ownKey?.toLowerCase() === key)) return true;
	if (one.attempt.scope !== other.attempt.scope) return false;
	if (one.identity === other.identity) return one.attempt.lineage === other.attempt.lineage || one.hasOwnKey;
	// After an edit.
	const contents = ({ intended, requests }: ItemAttempt) => [intended, ...requests.map(contentOf)];
	return contents(one).some((content) => content !== undefined && contents(other).includes(content));
}

/** Returns the writes that are not the same intention as the first one, directly or by way of others. */
function strangersIn(all: ReadonlySet<ItemAttempt>, key: string): Set<ItemAttempt> {
	const strangers = new Set(all);
	const known: ItemAttempt[] = [];
	const know = (item: ItemAttempt) => {
		strangers.delete(item);
		known.push(item);
	};
	know([...all][0]!);
	for (const one of known) for (const other of [...strangers]) if (isSameIntention(one, other, key)) know(other);
	return strangers;
}

function haveSameOwnKey(one: ItemAttempt, other: ItemAttempt): boolean {
	return one.ownKey !== undefined && one.ownKey === other.ownKey && one.attempt.node.type === other.attempt.node.type;
}

function isRelated(one: Attempt, other: Attempt): boolean {
	return one === other || one.inherits.includes(other.id) || other.inherits.includes(one.id);
}

function intentionOf({ request }: Change<ItemAttempt>): string {
	const { organization, sender } = request;
	return sender.hasOwnKey
		? `${organization} ${sender.attempt.node.type} ${sender.ownKey}`
		: `${sender.attempt.scope} ${sender.identity}`;
}

function nameOfKey({ organization, key }: Request): string {
	return `${organization} ${key}`;
}

function keysOf(changes: Array<Change<ItemAttempt>>): number {
	return new Set(changes.map(({ request }) => nameOfKey(request))).size;
}

const senderOf = ({ request }: Change<ItemAttempt>): ItemAttempt => request.sender;

function groupBy<T>(all: readonly T[], nameOf: (one: T) => string): Map<string, T[]> {
	return Map.groupBy(all, nameOf);
}

/** Returns what an item is within its unit: in all tries of a tool call the same. */
function elementOf({ attempt, index }: ItemAttempt): unknown {
	return attempt.call ?? index;
}

/** Returns how many of these items are meant at once: in the unit that has the most. */
function most(all: readonly ItemAttempt[], counts: (item: ItemAttempt) => boolean = () => true): number {
	const units = new Map<string, Set<unknown>>();
	for (const item of all) {
		if (!counts(item)) continue;
		const { unit } = item.attempt;
		units.set(unit, (units.get(unit) ?? new Set()).add(elementOf(item)));
	}
	return Math.max(0, ...[...units.values()].map(({ size }) => size));
}
