import path from 'node:path';
import { InstanceSettings } from 'n8n-core';
import { inRepository } from '../../scripts/lib/repository.ts';
import { containerOfN8n } from '../support/files/binaryData.ts';

test('n8n’s engine keeps its settings in the clone, not in the folder of the user’s own n8n', () => {
	const { n8nFolder } = containerOfN8n().get(InstanceSettings);
	expect(path.relative(inRepository('node_modules', '.cache', 'n8n'), n8nFolder)).toMatch(/^\d+[/\\]\.n8n$/);
});
