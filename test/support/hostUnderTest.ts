import type { HostName } from '../../scripts/n8n/installation.ts';

/** The pinned n8n that the running project tests on. jest.config.js says it, where it is not the current one. */
export const HOST: HostName = (globalThis as { N8N_HOST?: HostName }).N8N_HOST ?? 'n8n-2';
