import { outputItems } from '../scripts/n8n/session.ts';
import type { Bench } from './bench.ts';
import { organizationOf } from './bench.ts';
import { count, inRounds, measureProgram, median, report, seconds, target } from './measure.ts';
import { withTagLead } from './workflows.ts';

const TAGS = 1_000;
const ROUNDS = 9;
const WARM_UP = 10;

/** Makes 1,000 tags in one run, no rate limits: Tag Lead's own time in a running n8n against a bare loop around axios. */
export async function benchWrites(bench: Bench): Promise<void> {
	const { control, url } = bench.sandbox;
	const organization = await organizationOf(bench.sandbox, { leads: TAGS });
	const tag = await control.manualTag(organization.id);
	const { own } = await bench.credentialsFor(organization);
	const workflow = await bench.save(withTagLead(own, TAGS, tag));

	process.stdout.write(
		`\n${count(TAGS)} tags in one run, no rate limits, median of ${ROUNDS} interleaved rounds after ${WARM_UP} to warm up\n  `,
	);
	const subjects = {
		'Tag Lead': async () => {
			const execution = await bench.execute(workflow);
			if (outputItems(execution, 'Tag').length !== TAGS) throw new Error(`Tag Lead: ${execution.error?.message}`);
			return (execution.runData.Tag?.[0]?.executionTime as number) / 1_000;
		},
		'bare axios loop (no n8n)': async () => {
			const args = [url, organization.keys.full, String(TAGS), String(tag)];
			return (await measureProgram<{ seconds: number }>('bareLoop.ts', ...args)).printed.seconds;
		},
	};
	const measured = await inRounds(ROUNDS, subjects, { warmUp: WARM_UP });
	const applied = (await control.tagApplications(organization.id)).length;
	const runs = 2 * (ROUNDS + WARM_UP);
	if (applied !== runs * TAGS) throw new Error(`${applied} tags were applied instead of ${runs * TAGS}`);
	const time = (name: string) => median(measured[name] ?? []);
	const rows = Object.keys(measured).map((name) => [name, seconds(time(name)), String(Math.round(TAGS / time(name)))]);
	report(['way', 'time', 'writes per second'], rows, [
		target('Tag Lead ÷ bare loop', time('Tag Lead') / time('bare axios loop (no n8n)'), { most: 1.5 }),
	]);
}
