import { readFileSync } from 'node:fs';
import { useSandbox } from './support/sandbox.ts';

const sandbox = useSandbox({ leads: 1, transactions: 0, manualRecords: 0 });
// Without the spaces that align the columns of a table.
const readme = readFileSync('sandbox/README.md', 'utf8').replace(/ +/g, ' ');

test('has a row for every switch', async () => {
	const { switches } = await sandbox.control.describe();
	for (const [name, { values, default: usual, meaning, gap }] of Object.entries(switches)) {
		const accepted = typeof values === 'string' ? 'a duration' : values.map((value) => `\`${value}\``).join(', ');
		expect(readme).toContain(`| \`${name}\` | ${accepted} | \`${usual}\` | ${meaning} | ${gap} |`);
	}
});

test('shows the faults it can post, and names every action', async () => {
	const { id } = await sandbox.control.createOrganization();
	const shown = /-d '(\{"faults".*\})'/.exec(readme)?.[1];
	expect(await sandbox.control.addFaults(id, JSON.parse(shown!).faults)).toHaveLength(2);
	const rejected = await sandbox.control.addFaults(id, [{ action: 'none' } as never]).catch(String);
	const actions = /The actions are: (.*)/.exec(String(rejected))?.[1]?.split(', ') ?? [];
	expect(actions).toHaveLength(12);
	for (const action of actions) expect(readme).toContain(`| \`${action}\``);
});

test('names what an OAuth client is configured with', () => {
	const { authorize_url, token_url, revoke_url, ...others } = sandbox.oauth;
	const paths = [authorize_url, token_url, revoke_url].map((address) => new URL(address).pathname);
	for (const text of [...paths, ...Object.values(others)]) expect(readme).toContain(text);
});
