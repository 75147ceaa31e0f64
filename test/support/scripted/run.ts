import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

export interface ScriptedRun {
	execution?: string;
	/** By default it has the token of this execution; a retry has that of the first one. */
	resumeUrl?: string;
	runIndex?: number;
	/** What n8n stores with the execution; null where n8n runs the node without the data of one. */
	context?: object | null;
	workflow?: string;
	node?: string;
	parameters?: IDataObject;
	mode?: string;
	input?: IDataObject[];
	/** The arguments of a tool call. */
	args?: object | undefined;
}

/** n8n's functions for a run of a node that writes, as far as its keys depend on them. Expressions return the item's `name`. */
export function runFunctions(run: ScriptedRun = {}): IExecuteFunctions {
	const { execution = '1', workflow = 'w', node = 'n', mode = 'trigger', runIndex = 0, context = {} } = run;
	const { resumeUrl = `http://localhost/webhook-waiting/1?signature=${execution}` } = run;
	const { parameters = {}, input = [{}], args } = run;
	return {
		getWorkflowDataProxy: () => ({ $runIndex: runIndex, $execution: { resumeUrl } }),
		getContext: () => {
			if (context === null) throw new Error('`executionData` is not initialized');
			return context;
		},
		getExecutionId: () => execution,
		getWorkflow: () => ({ id: workflow }),
		getNode: () => ({ name: node, parameters }),
		getMode: () => mode,
		evaluateExpression: (code: string, index: number) => (code.includes('$json.name') ? input[index]?.name : undefined),
		getInputData: (_index?: number, connection = 'main') =>
			(connection === 'main' ? input : args === undefined ? [] : [args]).map((json) => ({ json })),
	} as unknown as IExecuteFunctions;
}
