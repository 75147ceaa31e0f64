import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findInstallation, folderVariable } from '../../../scripts/n8n/installation.ts';
import { openTarball, requireEntries } from '../../../scripts/verify/contents.ts';
import { FreshN8n } from '../../../scripts/verify/freshN8n.ts';
import { knownProblems } from '../../../scripts/verify/known.ts';
import { spoiltTarball } from '../../support/files/tarballs.ts';
import { HOST } from '../../support/hostUnderTest.ts';

const HOST_FOLDER = process.env[folderVariable(HOST)] as string;

test("n8n's own installer accepts the package, and a missing icon is reported", async () => {
	const { tarball, dispose } = await spoiltTarball(
		async (folder) => await rm(path.join(folder, 'dist', 'icons', 'tag.dark.svg')),
	);
	const contents = await openTarball(tarball);
	const n8n = await FreshN8n.start(findInstallation(HOST), tarball, contents.manifest);
	try {
		const installed = await n8n.install(contents.manifest);
		expect(installed.installedNodes.map(({ name }) => name).sort()).toEqual([
			'Create Keyword Automation',
			'Get Revenue',
			'List Leads',
			'Manual Record Trigger',
			'Tag Lead',
			'Transaction Trigger',
		]);
		expect(await knownProblems(n8n, contents.manifest, installed)).toEqual([
			'n8n does not serve the icon of n8n-nodes-lead-revenue.tagLead: icons/n8n-nodes-lead-revenue/dist/icons/tag.dark.svg',
		]);
		const more = {
			...contents.manifest,
			n8n: { nodes: ['dist/nodes/Other/Other.node.js'], credentials: ['dist/credentials/Some.credentials.js'] },
		};
		expect(await knownProblems(n8n, more, { ...installed, installedVersion: '0.0.1', failedLoading: true })).toEqual([
			'n8n does not know n8n-nodes-lead-revenue.other (types/nodes.json)',
			'n8n does not know some (types/credentials.json)',
			'n8n did not record n8n-nodes-lead-revenue.other as installed',
			`n8n recorded version 0.0.1 instead of ${contents.manifest.version}`,
			'n8n says that the package failed to load',
		]);
	} finally {
		await n8n.stop();
		await contents.dispose();
		await dispose();
	}
});

test("each entry is loaded next to n8n's own modules", async () => {
	const whole = await openTarball(process.env.PACKED_TARBALL as string);
	await requireEntries(whole, HOST_FOLDER);
	await writeFile(path.join(whole.folder, 'dist/nodes/TagLead/TagLead.node.js'), 'module.exports = {};');
	await expect(requireEntries(whole, HOST_FOLDER)).rejects.toThrow(/TagLead\.node\.js exports no class TagLead/);
	await whole.dispose();
});
