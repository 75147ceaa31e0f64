import type { HostName } from '../../scripts/n8n/installation.ts';

/** The pinned n8n of the running project: the current one, unless jest.config.js names another. */
export const HOST: HostName = (globalThis as { N8N_HOST?: HostName }).N8N_HOST ?? 'n8n-2';
