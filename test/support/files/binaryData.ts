import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import { temporaryFolder } from '../../../scripts/lib/temporaryFolder.ts';

type Class<T> = abstract new (...args: never[]) => T;

/** Returns the container of the n8n under test: n8n-core of n8n 1.x has one of its own. */
export function containerOfN8n(): { get<T>(type: Class<T>): T } {
	const file = require.resolve('@n8n/di', { paths: [require.resolve('n8n-core')] });
	return jest.requireActual<{ Container: { get<T>(type: Class<T>): T } }>(file).Container;
}

/** n8n's binary data in a temporary folder, by n8n's own service; `default` keeps it in memory. */
export class BinaryData {
	private constructor(readonly folder: string) {}

	static async start(mode: 'filesystem' | 'default' = 'filesystem'): Promise<BinaryData> {
		const folder = await temporaryFolder('binary');
		const config = containerOfN8n().get(BinaryDataConfig);
		Object.assign(config, { mode, availableModes: ['filesystem'], localStoragePath: folder });
		await containerOfN8n().get(BinaryDataService).init();
		return new BinaryData(folder);
	}

	async stop(): Promise<void> {
		await rm(this.folder, { recursive: true, force: true });
	}

	/** Returns all files below the folder, without n8n's `.metadata`. */
	async files(): Promise<string[]> {
		const entries = await readdir(this.folder, { recursive: true, withFileTypes: true });
		return entries
			.filter((entry) => entry.isFile() && !entry.name.endsWith('.metadata'))
			.map((entry) => path.join(entry.parentPath, entry.name));
	}

	/** Returns the text of the file that an item has. */
	async textOf({ binary }: INodeExecutionData, field = 'data'): Promise<string> {
		const { id, data } = binary?.[field] as IBinaryData;
		if (id === undefined) return Buffer.from(data, 'base64').toString();
		return await readFile(path.join(this.folder, id.slice(id.indexOf(':') + 1)), 'utf8');
	}
}
