import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { pathToFileURL } from 'node:url';
import type * as ports from '../../scripts/lib/ports.ts';
import { inRepository } from '../../scripts/lib/repository.ts';

type Ports = typeof ports;

/** Returns the module as each test file and each process has it. */
function loaded(): Ports {
	let module: Ports | undefined;
	jest.isolateModules(() => {
		module = jest.requireActual<Ports>('../../scripts/lib/ports.ts');
	});
	return module as Ports;
}

test('no port is chosen twice, although nothing listens on it yet: by test files of one process', async () => {
	const chosen = [await loaded().freePort(), await loaded().freePort(), await loaded().freePort(20_000)];
	expect(new Set(chosen).size).toBe(3);
});

test('no port is chosen twice while the process that chose it runs, and any may be after its end', async () => {
	const script = `import { freePort } from ${JSON.stringify(pathToFileURL(inRepository('scripts/lib/ports.ts')))};
		console.log(await freePort(21_000)); process.stdin.resume();`;
	const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
	const [first] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
	const meanwhile = await loaded().freePort(Number(first));
	child.stdin.end();
	await once(child, 'exit');
	expect([meanwhile, await loaded().freePort(Number(first))]).toEqual([Number(first) + 1, Number(first)]);
});

test('a port on which a program listens is not chosen', async () => {
	const { freePort } = loaded();
	const port = await freePort(22_000);
	const other = createServer();
	await once(other.listen(port + 1, '127.0.0.1'), 'listening');
	expect(await freePort(port)).toBe(port + 2);
	other.close();
});
