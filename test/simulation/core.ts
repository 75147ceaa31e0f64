import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { transformSync } from '@swc/core';
import type { pollOnce } from '../../nodes/TransactionTrigger/core/pollOnce';
import type { serviceTime } from '../../nodes/TransactionTrigger/core/serviceTime';
import type { readState, writeState } from '../../nodes/TransactionTrigger/core/state';
import type { CursorRejected, Passing, Stalled } from '../../nodes/TransactionTrigger/core/failures';

/** The part of the trigger that runs in the simulation: everything between the request and n8n. */
export interface Core {
	pollOnce: typeof pollOnce;
	readState: typeof readState;
	writeState: typeof writeState;
	serviceTime: typeof serviceTime;
	CursorRejected: typeof CursorRejected;
	Passing: typeof Passing;
	Stalled: typeof Stalled;
}

/** One line of the trigger, and what replaces it. */
export interface Breakage {
	/** Its path in the core's folder. */
	file: string;
	line: string;
	instead: string;
}

const FOLDER = path.resolve(__dirname, '../../nodes/TransactionTrigger/core');
const require = createRequire(__filename);

/** The trigger's core, read from its source, with one line broken on purpose if wanted. */
export function loadCore(breakage?: Breakage): Core {
	const loaded = new Map<string, object>();
	const load = (name: string): object => {
		const known = loaded.get(name);
		if (known !== undefined) return known;
		let source = readFileSync(path.join(FOLDER, `${name}.ts`), 'utf8');
		if (breakage?.file === `${name}.ts`) {
			if (source.split(breakage.line).length !== 2)
				throw new Error(`"${breakage.line}" is not in ${name}.ts exactly once`);
			source = source.replace(breakage.line, breakage.instead);
		}
		const { code } = transformSync(source, {
			jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
			module: { type: 'commonjs' },
		});
		const module = { exports: {} };
		loaded.set(name, module.exports);
		const requireHere = (specifier: string): unknown => {
			if (!specifier.startsWith('.')) return require(specifier);
			const file = path.join(path.dirname(name), specifier);
			return file.startsWith('..') ? require(path.join(FOLDER, file)) : load(file);
		};
		new Function('module', 'exports', 'require', code)(module, module.exports, requireHere);
		return module.exports;
	};
	return Object.assign({}, ...['pollOnce', 'serviceTime', 'state', 'failures'].map(load)) as Core;
}
