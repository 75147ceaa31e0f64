/** Where the nodes promise less than "once": what may happen then. The documentation's table is made from these. */
export const EXCEPTIONS = {
	'no token': {
		when: 'n8n 1.x, or 2.x before 2.14, crashed, or a failed execution is retried a second time instead of its failed retry',
		what: 'the retry makes the changes again that the lost attempt made',
		instead: 'set your own key',
	},
	'computed, rejected': {
		when: 'The same on later n8n, where an expression computes a value that is another one now, and the service rejects a key that comes with another change',
		what: 'the item fails (409, or another status of 400 to 499); the change has its first value',
		instead: 'compute the value in a node before, and read it',
	},
	'computed, replayed': {
		when: 'The same, and the service replays the first response instead',
		what: 'the item has the first response; the change has its first value, and the item may show the new one',
		instead: 'compute the value in a node before, and read it',
	},
	'edited after a crash': {
		when: 'The same, after you replaced an expression that computes a value by one that reads it, or the other way round',
		what: 'the change is made again, even with the same value',
		instead: 'edit the workflow after the retry',
	},
	'own key that differs': {
		when: 'Your own key is an expression that returns another value after a crash',
		what: 'the change is made again',
		instead: 'use a value from the data',
	},
	'forgotten key': {
		when: 'The service has forgotten the key: how long it remembers one is not documented',
		what: 'the change is made again',
		instead: 'retry soon',
	},
} as const;

export type Exception = keyof typeof EXCEPTIONS;
