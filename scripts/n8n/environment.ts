/** What n8n 3 blocks besides the `default` of n8n 2: the shared address space, and what leads from IPv6 to IPv4. */
const BLOCKED_FROM_3_ON = ['100.64.0.0/10', '64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16'];

/**
 * The defaults of n8n 3 as variables of n8n 2.41. Source: n8n's "3.0 breaking changes", the rules for its Migration Report and
 * its warnings (modules/breaking-changes/rules/v3 and deprecation.service.js of 2.41.1); the scheduler is on since 2.45. n8n 3
 * leaves SSRF protection off; on, it is the stricter n8n.
 */
export const N8N_3_DEFAULTS = {
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'false',
	N8N_MIGRATE_FS_STORAGE_PATH: 'true',
	N8N_RUNNERS_TASK_TIMEOUT: '60',
	N8N_COMPRESSION_NODE_MAX_DECOMPRESSED_SIZE_BYTES: String(256 * 1024 ** 2),
	N8N_COMPRESSION_NODE_MAX_ZIP_ENTRIES: '1000',
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SSRF_PROTECTION_ENABLED: 'true',
	N8N_SSRF_BLOCKED_IP_RANGES: ['default', ...BLOCKED_FROM_3_ON].join(),
};

/** Where the tests' services are, and what an operator sets who has the service in a private network. */
const THIS_MACHINE = { N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.0/8', N8N_SSRF_ALLOWED_HOSTNAMES: 'localhost' };

/** Whether `LEAD_REVENUE_N8N_DEFAULTS=3` asks for the defaults of n8n 3. @throws Error for another value */
function hasN8n3Defaults(): boolean {
	const version = process.env.LEAD_REVENUE_N8N_DEFAULTS ?? '';
	if (!['', '3'].includes(version)) {
		throw new Error(`LEAD_REVENUE_N8N_DEFAULTS is "${version}". Set it to 3, or remove it.`);
	}
	return version === '3';
}

/** Returns the environment of every n8n here: it does not phone home, and listens only on this machine. */
export function n8nEnvironment(userFolder: string): NodeJS.ProcessEnv {
	return {
		...process.env,
		...(hasN8n3Defaults() && { ...N8N_3_DEFAULTS, ...THIS_MACHINE }),
		// Whatever this process prints: n8n says at this level that it has started, and why it ends.
		N8N_LOG_LEVEL: process.env.N8N_LOG_LEVEL === 'debug' ? 'debug' : 'info',
		N8N_LOG_OUTPUT: 'console',
		N8N_LOG_SCOPES: '',
		// n8n does nothing under the test runner's NODE_ENV.
		NODE_ENV: 'production',
		N8N_USER_FOLDER: userFolder,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_SECURE_COOKIE: 'false',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		GENERIC_TIMEZONE: Intl.DateTimeFormat().resolvedOptions().timeZone,
		// Colours would end up in captured logs.
		NO_COLOR: '1',
	};
}

/** The switches under which n8n 2.36 and later commit a poll's state together with the execution it starts. */
export const DURABLE_CURSORS = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};
