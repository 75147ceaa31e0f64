import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { endsWithin } from '../../../service/clock';
import type { Checkpoint } from '../../core/delivery';
import { acknowledge } from '../../core/delivery';
import { isSavedForm, savedFormOf } from '../../core/saved/savedForm';
import type { Claim } from '../claims';
import { NO_REPORTS } from './executions';
import { later, tendOthers } from './others';
import type { Store } from './store';
import { thisProcess } from './trigger';

// How long an activation waits for the end of an execution.
const WAIT_FOR_END_MS = 10_000;

/** n8n keeps the node's static data (`ofNode`) by the node's name, so this store uses the workflow's, under the node's id. */
export function staticData(functions: IPollFunctions, claim: Claim, ofNode: IDataObject): Store {
	const global = functions.getWorkflowStaticData('global');
	const { trigger, isActivation } = claim;
	const { stateKey } = trigger;
	const ofId = global[stateKey] as IDataObject | undefined;
	const write = (next: Checkpoint) => {
		tendOthers(functions, global);
		const written = savedFormOf(next) as IDataObject;
		// n8n sees an assignment at this level, but no change below it.
		global[stateKey] = { ...written };
		if (isSavedForm(ofNode)) for (const name of Object.keys(ofNode)) Reflect.deleteProperty(ofNode, name);
		trigger.written = written;
	};
	// If the trigger can have emitted nothing since its start, the executions that this process knows are older.
	const executionsAfter = (previous: Checkpoint | undefined) =>
		previous === undefined || previous.state.phase === 'starting' ? undefined : trigger.bySubject.get(previous.subject);
	// n8n saves its copy after an activation, though polls with another copy may have saved later states meanwhile.
	const catchUp = () => {
		if (isActivation) tendOthers(functions, global);
	};
	return {
		// Earlier versions kept the state under the node's name, where another node's data may be.
		raw: later(ofId ?? (isSavedForm(ofNode) ? ofNode : {}), trigger.written),
		processName: thisProcess.name,
		isOvertaken: () => false,
		catchUp,
		reports: (previous, afterRestart) => executionsAfter(previous)?.reports(functions, afterRestart) ?? NO_REPORTS,
		finish: async ({ previous, checkpoint: next, emission, redelivery, origin, items, ports }) => {
			const executions = executionsAfter(previous) ?? trigger.beginAnew(next.subject);
			// n8n saves the state when `__emit` starts the execution. If `__emit` throws, the next poll redelivers.
			write(next);
			if (origin !== undefined) executions.settle(redelivery, origin);
			if (emission === undefined) return null;
			const stored = executions.handOver(functions, items, emission, ports);
			// n8n saves the state again after an activation. If it has stored the execution by then, no later process redelivers it.
			const mayWait = isActivation && redelivery.inFlight.length === 0;
			const isStored = mayWait && (await endsWithin(WAIT_FOR_END_MS, stored)) && (await stored);
			if (isStored && claim.isHeld()) write(acknowledge(next));
			else catchUp();
			return null;
		},
	};
}
