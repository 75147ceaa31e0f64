import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const NODE_MODULE = pathToFileURL(path.resolve('scripts/bootstrap/node.mjs')).href;

/** Returns the environment of a task under the given variables of the user. */
function environmentOf(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const code = `
		import { ensureNode } from ${JSON.stringify(NODE_MODULE)};
		console.log(JSON.stringify((await ensureNode({})).env));
	`;
	const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
		env: { PATH: process.env.PATH, ...variables },
		encoding: 'utf8',
	});
	return JSON.parse(stdout) as NodeJS.ProcessEnv;
}

test('nothing that is started here gets the settings of the user’s own n8n, such as its database', () => {
	const settings = {
		DB_TYPE: 'postgresdb',
		EXECUTIONS_MODE: 'queue',
		N8N_ENCRYPTION_KEY: 'of the other n8n',
		NODE_ENV: 'production',
		NODES_EXCLUDE: '[]',
		QUEUE_BULL_REDIS_HOST: 'redis.example',
	};
	const others = {
		LANG: 'C',
		N8N_LOG_LEVEL: 'debug',
		NODE_EXTRA_CA_CERTS: '/ca.pem',
		npm_config_registry: 'http://r/',
	};
	const environment = environmentOf({ ...settings, ...others });
	expect(environment).toMatchObject(others);
	expect(Object.keys(settings).filter((name) => name in environment)).toEqual([]);
});

test.each([
	[{}, '127.0.0.1,localhost'],
	[{ NO_PROXY: 'example.com' }, 'example.com,127.0.0.1,localhost'],
	[{ NO_PROXY: 'ignored', no_proxy: 'example.com' }, 'example.com,127.0.0.1,localhost'],
])('with a proxy and %j, this machine is reached without it', (variables, direct) => {
	const environment = environmentOf({ HTTP_PROXY: 'http://proxy.example:8080', ...variables });
	expect(environment).toMatchObject({ HTTP_PROXY: 'http://proxy.example:8080', NO_PROXY: direct, no_proxy: direct });
});
