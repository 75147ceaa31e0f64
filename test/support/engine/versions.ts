import type { WorkflowExecute } from 'n8n-core';
import type { INode, IPinData, Workflow } from 'n8n-workflow';
import { HOST } from '../hostUnderTest.ts';

type Execution = ReturnType<WorkflowExecute['run']>;

interface Start {
	workflow: Workflow;
	startNode: INode;
	pinData: IPinData;
}

/** The engine of n8n 1.x takes as separate arguments what that of 2.x takes as one object. */
type RunOfVersion1 = (workflow: Workflow, startNode: INode, destinationNode: undefined, pinData: IPinData) => Execution;

/** Starts an execution in the way of the n8n under test. */
export function startExecution(engine: WorkflowExecute, { workflow, startNode, pinData }: Start): Execution {
	if (HOST !== 'n8n-1') return engine.run({ workflow, startNode, pinData });
	return (engine.run as unknown as RunOfVersion1).call(engine, workflow, startNode, undefined, pinData);
}

/** Whether n8n tells a poll its time limit. */
export const TELLS_POLL_BUDGET = HOST !== 'n8n-1';

/** Whether n8n can give each poll a snapshot of the state and store it together with the execution. */
export const HAS_DURABLE_CURSORS = HOST !== 'n8n-1';
