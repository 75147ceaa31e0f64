import { readFile } from 'node:fs/promises';
import { inRepository } from '../../../scripts/lib/repository.ts';
import { withExceptions } from '../../../scripts/lint/writeExceptions.ts';

test('docs/idempotency.md has the exceptions that the simulation of writes knows (npm run generate)', async () => {
	const page = await readFile(inRepository('docs', 'idempotency.md'), 'utf8');
	expect(page).toBe(withExceptions(page));
});
