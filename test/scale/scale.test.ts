import { findQueuePrograms } from '../../scripts/scale/programs.ts';
import { describeUnless } from '../support/unless.ts';
import { killScenarios } from './scenarios/kills.ts';
import { loadScenarios } from './scenarios/load.ts';
import { outageScenarios } from './scenarios/outages.ts';
import { soakScenarios } from './scenarios/soak.ts';
import { triggerScenarios } from './scenarios/trigger.ts';
import type { World } from './scenarios/world.ts';
import { Cluster } from './support/cluster.ts';
import { RestartableSandbox } from './support/service.ts';

jest.setTimeout(Math.max(1_800_000, 2 * 60_000 * Number(process.env.SOAK_MINUTES ?? 0)));

const programs = findQueuePrograms();
const whyNot =
	'missing' in programs
		? `queue mode needs Redis and PostgreSQL, ${programs.missing}`
		: process.env.LEAD_REVENUE_SCALE === '1'
			? undefined
			: 'queue mode is part of npm test without arguments, and npm run test:scale';

function scenarios(): void {
	let cluster: Cluster;
	let sandbox: RestartableSandbox;
	const world: World = {
		cluster: () => cluster,
		sandbox: () => sandbox,
		report: (line) => process.stdout.write(`${line}\n`),
	};

	beforeAll(async () => {
		sandbox = await RestartableSandbox.start();
		cluster = await Cluster.start();
	});
	afterAll(async () => {
		await cluster?.stop();
		await sandbox?.stop();
	});

	loadScenarios(world);
	killScenarios(world);
	outageScenarios(world);
	triggerScenarios(world);
	soakScenarios(world);
}

describeUnless(whyNot, 'n8n in queue mode', scenarios);
