import { benchBacklog } from '../../bench/backlog.ts';
import { Bench } from '../../bench/bench.ts';
import { benchCensus } from '../../bench/census.ts';
import { benchFiles } from '../../bench/files.ts';
import { benchFind } from '../../bench/find.ts';
import { benchLeads } from '../../bench/leads.ts';
import { benchPolls } from '../../bench/poll.ts';
import { benchReads } from '../../bench/reads.ts';
import { benchTags } from '../../bench/tags.ts';
import { benchWrites } from '../../bench/writes.ts';
import { reportFailure } from '../lib/steps.ts';

const PARTS: Record<string, (bench: Bench) => Promise<void>> = {
	reads: benchReads,
	writes: benchWrites,
	polls: benchPolls,
	census: benchCensus,
	leads: benchLeads,
	file: benchFiles,
	find: benchFind,
	backlog: benchBacklog,
	tags: benchTags,
};

/** Measures every part, or only the named ones. Compare the ratios; the seconds depend on the machine. */
async function run(named: string[]): Promise<void> {
	const unknown = named.find((name) => !Object.hasOwn(PARTS, name));
	if (unknown !== undefined) throw new Error(`There is no part "${unknown}". Parts: ${Object.keys(PARTS).join(', ')}.`);
	const bench = await Bench.start();
	try {
		for (const [name, measure] of Object.entries(PARTS)) {
			if (named.length === 0 || named.includes(name)) await measure(bench);
		}
	} finally {
		await bench.stop();
	}
}

process.exitCode = await run(process.argv.slice(2)).then(() => 0, reportFailure);
