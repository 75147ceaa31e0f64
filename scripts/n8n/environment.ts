/** The environment of every n8n here: it does not phone home, and listens only on this machine. */
export function n8nEnvironment(userFolder: string): NodeJS.ProcessEnv {
	const level = process.env.N8N_LOG_LEVEL;
	return {
		...process.env,
		// The tests silence the engine in their own process. An n8n that prints nothing cannot say why it ends.
		N8N_LOG_LEVEL: level === 'silent' ? 'info' : level,
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
