import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { messageOf } from '../../../errorText';
import { systemClock } from '../../../service/clock';
import type { Checkpoint } from '../../core/delivery';
import { latestStart } from '../../core/period';
import { isSavedForm, revisionOf, savedFormOf, writeCheckpoint } from '../../core/saved/savedForm';
import { NO_REPORTS } from './executions';
import { later } from './others';
import type { Store } from './store';
import type { Trigger } from './trigger';

const SAVED_EVERY_MS = 3_600_000;

// If n8n takes longer to store an execution, it has failed, and a poll reads the records again.
const STORED_WITHIN_MS = 30_000;

/** n8n keeps the node's static data (`ofNode`) by the node's id, and passes a snapshot of it to each poll. */
export function durableCursors(functions: IPollFunctions, trigger: Trigger, ofNode: IDataObject): Store {
	const { stateKey } = trigger;
	const global = functions.getWorkflowStaticData('global');
	const ofWorkflow = global[stateKey] as IDataObject | undefined;
	// The first poll under durable cursors continues from the workflow's static data, and saves the state here, where n8n may have put
	// the data of an earlier node with this node's name. If n8n could not store the start, what it has is from before.
	const raw = later(isSavedForm(ofNode) ? ofNode : (ofWorkflow ?? {}), trigger.unsavedStart);
	const isHere = raw === ofNode;
	const noteCommitted = ({ subject, revision }: Checkpoint) => {
		trigger.committed = { subject, revision, at: systemClock.monotonic() };
	};
	return {
		raw,
		processName: undefined,
		// n8n reads the state before a poll and stores it afterwards. A second poll in between, as when n8n activates a workflow
		// while a scheduled poll is due, would emit the same records, or start again (measured on 2.41.1).
		isOvertaken: (subject) => {
			const { committed } = trigger;
			if (committed?.subject !== subject) return false;
			if (systemClock.monotonic() - committed.at >= STORED_WITHIN_MS) return false;
			// What n8n has, even a start of another subject, is older only if its revision is lower.
			return revisionOf(raw) < committed.revision;
		},
		catchUp: () => {},
		reports: () => NO_REPORTS,
		finish: async ({ previous, checkpoint: next, items, hasRecords, ports }) => {
			// n8n has stored the state in the node's own static data, so the older copies can go.
			if (isHere) trigger.unsavedStart = undefined;
			if (isHere && ofWorkflow !== undefined) Reflect.deleteProperty(global, stateKey);
			// n8n stores the whole state, up to a megabyte.
			const canSaveLater = isHere && previous !== undefined && !hasRecords && differOnlyBySweeps(previous, next);
			if (!canSaveLater) writeCheckpoint(ofNode, next);
			if (items.length > 0) {
				noteCommitted(next);
				return [items];
			}
			// n8n drops the state of an activation's poll that emits nothing (measured on 2.41.1). Records created between the
			// activation and the next poll would then count as old.
			if (previous === undefined || trigger.unsavedStart !== undefined) {
				try {
					await functions.__commitCursor?.();
					noteCommitted(next);
				} catch (error) {
					trigger.unsavedStart = savedFormOf(next) as IDataObject;
					ports.log.warn(`the start could not be saved; the next poll saves it. Reason: ${messageOf(error)}`);
				}
			}
			return null;
		},
	};
}

/**
 * Whether two checkpoints differ only by complete sweeps of the last hour; to be asked only after a poll that read no record. Unless
 * `next` is saved, the next poll requests the same period again, and a service may reject a time too long ago.
 */
function differOnlyBySweeps(previous: Checkpoint, next: Checkpoint): boolean {
	const [before, now] = [lastSweepOf(previous), lastSweepOf(next)];
	if (before === null || now === null || now < before || now - before >= SAVED_EVERY_MS) return false;
	if (next.memory !== previous.memory || next.details !== previous.details) return false;
	const rest = (of: Checkpoint) =>
		JSON.stringify({ ...savedFormOf(of), watermark: 0, readings: [], memory: '', details: '' });
	return rest(next) === rest(previous);
}

function lastSweepOf({ state }: Checkpoint): number | null {
	return state.phase === 'starting' ? null : latestStart(state);
}
