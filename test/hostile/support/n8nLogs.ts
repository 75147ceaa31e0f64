import { CredentialTestContext } from 'n8n-core';

interface Line {
	level: string;
	message: string;
	metadata: Record<string, unknown>;
}

let lines: Line[] = [];
let count = 0;

// Every part of n8n logs through an instance of one class, whichever level n8n prints.
const logger = Object.getPrototypeOf(new CredentialTestContext({} as never).logger) as {
	log(...line: [string, string, Record<string, unknown>]): void;
};
const { log } = logger;
logger.log = function (level, message, metadata) {
	log.call(this, level, message, metadata);
	count++;
	lines.push({ level, message, metadata });
};

/** Returns the lines n8n has logged on all levels since the last call. */
export function takeLogs(): Line[] {
	const taken = lines;
	lines = [];
	return taken;
}

export function countOfLogs(): number {
	return count;
}
