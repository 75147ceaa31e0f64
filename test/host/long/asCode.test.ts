import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { PACKAGE } from '../../../scripts/lib/repository.ts';
import { findInstallation } from '../../../scripts/n8n/installation.ts';
import type { Credential } from '../../../scripts/n8n/session.ts';
import { POLL_EVERY_S } from '../../../scripts/n8n/workflows.ts';
import { checksumOf } from '../../../scripts/verify/checksum.ts';
import { openTarball } from '../../../scripts/verify/contents.ts';
import type { InstalledPackage } from '../../../scripts/verify/freshN8n.ts';
import { FreshN8n } from '../../../scripts/verify/freshN8n.ts';
import { N8nHost } from '../../support/host/n8nHost.ts';
import { LEASES, pollingNodes, StoredWorkflow, WAYS_OF_SAVING } from '../../support/host/polling.ts';
import { A_FEW_POLLS_MS, nextPoll, repeated } from '../../support/host/pollingRun.ts';
import { HOST } from '../../support/hostUnderTest.ts';
import type { TestOrganization } from '../../support/service.ts';
import { control, organization } from '../../support/service.ts';
import { describeUnless } from '../../support/unless.ts';

jest.setTimeout(1_800_000);

describeUnless(HOST === 'n8n-2' ? undefined : 'n8n 2.21 and later', "the package in n8n's environment", () => {
	const tarball = process.env.PACKED_TARBALL as string;
	const sha512 = checksumOf(tarball);

	/** Returns the packages that n8n has after a start with this package and checksum, and what it printed. */
	async function startedWith(checksum: string): Promise<{ installed: string[]; logs: string }> {
		const contents = await openTarball(tarball);
		const { name, version } = contents.manifest;
		const n8n = await FreshN8n.start(findInstallation(HOST), tarball, contents.manifest, {
			N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
			N8N_COMMUNITY_PACKAGES: JSON.stringify([{ name, version, checksum }]),
			N8N_UNVERIFIED_PACKAGES_ENABLED: 'false',
		});
		try {
			const installed = (await n8n.session.request('GET', '/rest/community-packages')) as InstalledPackage[];
			const known = (await n8n.types('nodes')).map((node) => node.name);
			expect(known.includes(`${name}.tagLead`)).toBe(installed.length > 0);
			return { installed: installed.map((one) => `${one.packageName} ${one.installedVersion}`), logs: n8n.logs };
		} finally {
			await n8n.stop();
			await contents.dispose();
		}
	}

	test('its version and sha512 install it at the start, although unverified packages are off', async () => {
		const { installed } = await startedWith(sha512);
		expect(installed).toEqual([`${PACKAGE.name} ${PACKAGE.version}`]);
	});

	test('another sha512 installs nothing, and n8n starts and says so', async () => {
		const { installed, logs } = await startedWith(sha512.replace(/.{8}==$/, 'AAAAAAAA=='));
		expect(installed).toEqual([]);
		expect(logs).toContain(`Failed to install community package '${PACKAGE.name}@${PACKAGE.version}'`);
	});
});

// n8n 1.x keeps its database locked for others while it runs.
(HOST === 'n8n-2' ? describe : describe.skip).each(WAYS_OF_SAVING)(
	`imported over a running n8n${HOST === 'n8n-2' ? '' : ' [skipped: on n8n 1.x, SQLite is locked then]'}, with %s`,
	(_way, switches) => {
		const WORKFLOW = 'asCodeWorkflow01';
		let host: N8nHost;
		let org: TestOrganization;
		let stored: StoredWorkflow;

		/** Runs n8n's import command with this JSON. */
		async function importing(what: 'workflow' | 'credentials', content: object): Promise<void> {
			const file = path.join(host.address.userFolder, `${what}.json`);
			await writeFile(file, JSON.stringify([content]));
			const { code, output } = await host.command([`import:${what}`, `--input=${file}`], switches);
			expect([code, output]).toEqual([0, expect.stringContaining('Successfully imported 1')]);
		}

		const credential: Credential = { id: 'asCodeCredential', name: 'As code', type: 'leadRevenueApi' };
		const importCredential = async () => await importing('credentials', { ...credential, data: org.credential });
		const importWorkflow = async () => await importing('workflow', { ...pollingNodes(credential), id: WORKFLOW });
		const publish = async () => await host.session.publishWorkflow(WORKFLOW);
		const pollsOf = async () => (await org.journal()).filter(({ query }) => query.updated_since !== undefined);

		beforeAll(async () => {
			host = await N8nHost.start({ env: { ...LEASES, ...switches } });
			org = await organization({ transactions: 20 });
		});

		afterAll(async () => {
			await host.end();
		});

		test('50 transactions that come meanwhile arrive once, and one poller is left', async () => {
			await importCredential();
			await importWorkflow();
			await publish();
			stored = new StoredWorkflow(host, WORKFLOW);
			await stored.until('the first poll', (now) => now.state().watermark !== undefined, A_FEW_POLLS_MS);
			const polls = { org, workflow: { id: WORKFLOW }, log: () => host.logs.slice(-3_000) } as Parameters<
				typeof nextPoll
			>[0];
			await nextPoll(polls);

			const ids: string[] = [];
			let done = false;
			const selling = (async () => {
				for (let sold = 0; sold < 50 || !done; sold++) {
					if (ids.length < 50) ids.push(...(await control.addTransactions(org.id, [{}])).ids);
					await wait(400);
				}
			})();
			await importCredential();
			await importWorkflow();
			const { active } = await host.session.workflow(WORKFLOW);
			const between = (await pollsOf()).length;
			await wait(3 * POLL_EVERY_S * 1_000);
			const polledWhileImported = (await pollsOf()).length - between;
			await publish();
			done = true;
			await selling;
			const missing = () => {
				const emitted = new Set(stored.emitted());
				return ids.filter((id) => !emitted.has(id));
			};
			await stored.until('all 50', () => missing().length === 0, A_FEW_POLLS_MS).catch(() => undefined);
			for (let poll = 0; poll < 3; poll++) await nextPoll(polls);
			const before = (await pollsOf()).length;
			const started = Date.now();
			await wait(6 * POLL_EVERY_S * 1_000);
			const perSlot = ((await pollsOf()).length - before) / ((Date.now() - started) / (POLL_EVERY_S * 1_000));
			process.stdout.write(
				`imported over n8n: active ${String(active)}, ${polledWhileImported} requests until published, ${missing().length} missing, ${repeated(stored.emitted()).length} repeated, ${perSlot.toFixed(1)} requests per poll\n`,
			);
			expect(ids).toHaveLength(50);
			expect(missing()).toEqual([]);
			expect(repeated(stored.emitted())).toEqual([]);
			// Two pollers make two requests in each slot.
			expect(perSlot).toBeLessThan(1.5);
		});
	},
);
