import type { ParseArgsConfig } from 'node:util';
import { parseArgs } from 'node:util';
import { DURATION_FORM } from './duration.ts';
import type { RateLimitSettings } from './rateLimits.ts';
import { parseMinute } from './rateLimits.ts';
import type { Switches } from './switches.ts';
import { parseSwitches } from './switches.ts';

/** What the command line asks for, checked. `minute` is in milliseconds. */
export interface Flags {
	port: number;
	host: string;
	data: string;
	seed: number;
	epoch: number;
	leads: number;
	transactions: number;
	manualRecords: number;
	rateLimits: RateLimitSettings;
	switches: Switches;
	journalLimit: number;
	listSwitches: boolean;
	help: boolean;
}

/** Raised for an invalid command line; the message names what is accepted. */
export class FlagError extends Error {
	override readonly name = 'FlagError';
}

const OPTIONS = {
	port: { type: 'string', default: '0' },
	host: { type: 'string', default: '127.0.0.1' },
	data: { type: 'string', default: ':memory:' },
	seed: { type: 'string', default: '1' },
	epoch: { type: 'string' },
	leads: { type: 'string', default: '20000' },
	transactions: { type: 'string', default: '5000' },
	'manual-records': { type: 'string', default: '500' },
	minute: { type: 'string', default: '60s' },
	budgets: { type: 'string', default: 'on' },
	'read-budget': { type: 'string', default: '120' },
	'write-budget': { type: 'string', default: '60' },
	'day-budget': { type: 'string', default: '60000' },
	switch: { type: 'string', multiple: true, default: [] },
	'journal-limit': { type: 'string', default: '100000' },
	'list-switches': { type: 'boolean', default: false },
	help: { type: 'boolean', default: false },
} as const satisfies ParseArgsConfig['options'];

export const HELP = `A local sandbox of the lead and revenue service.

  node sandbox/src/main.ts [flags]

  --port 0               port to listen on; 0 takes a free one
  --host 127.0.0.1       address to listen on
  --data :memory:        where the data lives: in memory, or a file that is reused when it exists
  --seed 1               integer; the same seed makes the same data
  --epoch <date-time>    the moment the seeded history ends (default: now)
  --leads 20000          leads of the default organization
  --transactions 5000    transactions of the default organization
  --manual-records 500   manual revenue records of the default organization
  --minute 60s           length of the rate minute, 1ms to 20m; a day is 1440 of them
  --budgets on           the rate limits: on or off
  --read-budget 120      reads per minute and key
  --write-budget 60      writes per minute and key
  --day-budget 60000     requests per day and organization
  --switch name=value    a switch for every organization (repeatable)
  --list-switches        print the switches and exit
  --journal-limit 100000 journal entries kept per organization
  --help                 print this and exit
`;

/** Reads the command line. @param now milliseconds; the default epoch. @throws FlagError for an unusable flag. */
export function parseFlags(args: readonly string[], now: number): Flags {
	const values = parse(args);
	return {
		port: integer('port', values.port, 0, 65_535),
		host: values.host,
		data: values.data,
		seed: integer('seed', values.seed, 0, 2 ** 31 - 1),
		epoch: epochOf(values.epoch, now),
		leads: integer('leads', values.leads, 0, 10_000_000),
		transactions: integer('transactions', values.transactions, 0, 10_000_000),
		manualRecords: integer('manual-records', values['manual-records'], 0, 10_000_000),
		rateLimits: {
			enabled: onOrOff(values.budgets),
			minute: minuteOf(values.minute),
			read: integer('read-budget', values['read-budget'], 1),
			write: integer('write-budget', values['write-budget'], 1),
			day: integer('day-budget', values['day-budget'], 1),
		},
		switches: switchesOf(values.switch),
		journalLimit: integer('journal-limit', values['journal-limit'], 1),
		listSwitches: values['list-switches'],
		help: values.help,
	};
}

function parse(args: readonly string[]) {
	try {
		return parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false }).values;
	} catch (error) {
		const accepted = Object.keys(OPTIONS)
			.map((name) => `--${name}`)
			.join(', ');
		throw new FlagError(`${(error as Error).message}\nAccepted flags: ${accepted}`);
	}
}

function integer(flag: string, text: string, low: number, high = Number.MAX_SAFE_INTEGER): number {
	const value = Number(text);
	if (/^-?\d+$/.test(text) && value >= low && value <= high) return value;
	const range = high === Number.MAX_SAFE_INTEGER ? `of at least ${low}` : `from ${low} to ${high}`;
	throw new FlagError(`--${flag} takes an integer ${range}, not "${text}"`);
}

function minuteOf(text: string): number {
	const minute = parseMinute(text);
	if (minute !== undefined) return minute;
	throw new FlagError(`--minute takes a duration from 1ms to 20m, not "${text}": ${DURATION_FORM}`);
}

function onOrOff(text: string): boolean {
	if (text === 'on' || text === 'off') return text === 'on';
	throw new FlagError(`--budgets takes on or off, not "${text}"`);
}

function epochOf(text: string | undefined, now: number): number {
	if (text === undefined) return now;
	const value = Date.parse(text);
	if (Number.isNaN(value)) {
		throw new FlagError(`--epoch takes a date-time such as 2026-01-31T00:00:00Z, not "${text}"`);
	}
	return value;
}

function switchesOf(settings: readonly string[]): Switches {
	const pairs = settings.map((setting) => {
		const at = setting.indexOf('=');
		if (at < 1) throw new FlagError(`--switch takes name=value, not "${setting}"; --list-switches prints them`);
		return [setting.slice(0, at), setting.slice(at + 1)] as const;
	});
	try {
		return parseSwitches(Object.fromEntries(pairs));
	} catch (error) {
		throw new FlagError(`--switch: ${(error as Error).message}`);
	}
}
