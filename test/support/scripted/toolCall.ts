/** The type of n8n's AI Agent. */
export const AGENT = '@n8n/n8n-nodes-langchain.agent';

export interface ToolCalled {
	type?: string;
	caller?: string;
	/** The arguments of a call outside the workflow's run. */
	args?: object | undefined;
	/** The item of a call that n8n runs as a node. */
	json?: object;
	/** Whether the item comes from another, as for an AI Agent 3. */
	paired?: boolean;
	/** What `$fromAI` reads. */
	fromAi?: Record<string, unknown>;
	settings?: object;
	parameters?: object;
	/** The node's part of n8n's execution data. */
	context?: object;
}

/** n8n's functions for it. */
export const functionsOf = ({
	type = 'tagLeadTool',
	caller = AGENT,
	args,
	json,
	paired = true,
	fromAi = {},
	settings,
	parameters,
	context = {},
}: ToolCalled) =>
	({
		getNode: () => ({ name: 'Node', type, parameters: parameters ?? {}, ...settings }),
		getContext: () => context,
		getExecuteData: () => ({ node: { type: caller } }),
		getInputData: (_index: number, connection = 'main') => {
			const passed = connection === 'ai_tool' ? args : json;
			return passed === undefined ? [] : [{ json: passed, ...(paired ? { pairedItem: 0 } : {}) }];
		},
		getWorkflowDataProxy: () => ({
			$fromAI: (name: string) => {
				// n8n also rejects names of which JavaScript makes something else (read in 2.41.1 and 1.123.81).
				if (!/^[\w-]{1,64}$/.test(name) || name === 'caller') throw new Error('Invalid parameter key');
				return fromAi[name];
			},
		}),
	}) as never;
