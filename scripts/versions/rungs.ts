/** A version of n8n to run the promises on. */
export interface Rung {
	version: string;
	/** What changed in it for these nodes: read in the code of n8n, or measured. */
	why: string;
}

/**
 * From old to new. Each is the version after a change that these nodes notice, or one in a long stretch without any that is
 * known.
 */
export const RUNGS: readonly Rung[] = [
	{ version: '1.123.81', why: 'the last 1.x, pinned in hosts/n8n-1' },
	{ version: '2.0.3', why: 'publishing, task runners and binary data in the file system by default' },
	{ version: '2.8.4', why: 'the newest that runs on Node 20; no resume token' },
	{ version: '2.11.4', why: 'the last without the resume token that can be installed' },
	{ version: '2.14.2', why: 'the resume token, from which keys survive a crash' },
	{ version: '2.20.12', why: 'no time limit of a poll yet, and no durable cursors' },
	{ version: '2.23.4', why: 'the last before agents continue after a failed tool that can be installed' },
	{ version: '2.30.8', why: 'an agent continues after a failed tool' },
	{ version: '2.36.8', why: 'the first with durable cursors, and the first that needs Node 24' },
	{ version: '2.41.1', why: 'what everything is tested on, pinned in hosts/n8n-2' },
];
