// The user's own n8n has these, with its database and its keys. Under NODE_ENV=production npm would install no tools.
const NOT_OURS = /^(NODE_ENV$|(CREDENTIALS|DB|EXECUTIONS|EXTERNAL|N8N|NODES|NODE_FUNCTION|QUEUE|WORKFLOWS)_)/;
const KEPT = 'N8N_LOG_LEVEL';

/** The environment of everything that is started here: without the settings of the user's n8n, and with no proxy to this machine. */
export function ownEnvironment() {
	const own = Object.entries(process.env).filter(([name]) => name === KEPT || !NOT_OURS.test(name));
	const direct = [process.env.no_proxy || process.env.NO_PROXY, '127.0.0.1', 'localhost'].filter(Boolean).join();
	return { ...Object.fromEntries(own), NO_PROXY: direct, no_proxy: direct };
}
