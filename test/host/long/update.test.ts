import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findInstallation } from '../../../scripts/n8n/installation.ts';
import { packRelease, previousRelease } from '../../../scripts/verify/previousRelease.ts';
import { updateProblems } from '../../../scripts/verify/update.ts';
import { spoiltTarball } from '../../support/files/tarballs.ts';
import { HOST } from '../../support/hostUnderTest.ts';

jest.setTimeout(1_800_000);

/** Faults of an update, as changes of the published code. */
const SPOILT: Array<[what: string, whole: string, spoilt: string]> = [
	['the state of the previous release is not taken over', 'ofId??(isSavedForm(ofNode)?ofNode:{})', '{}'],
	['a parameter is renamed', 'name:"otherCommentType"', 'name:"commentTypeText"'],
	['an option is not read', 'overlapMs:readOption(parameters,readNumber,overlapOption(source))', 'overlapMs:5'],
];

async function spoil(folder: string): Promise<void> {
	const bundle = path.join(folder, 'dist', 'lead-revenue.js');
	let code = await readFile(bundle, 'utf8');
	for (const [what, whole, spoilt] of SPOILT) {
		if (!code.includes(whole)) throw new Error(`the published code has no longer what spoils "${what}": ${whole}`);
		code = code.replace(whole, spoilt);
	}
	await writeFile(bundle, code);
}

const title = 'an update that loses the state, renames a parameter and ignores an option is reported';

const release = previousRelease();
const whyNot =
	HOST === 'n8n-1'
		? 'npm run verify updates on n8n 2.x only'
		: release === undefined
			? 'the previous release is not in the history of this folder'
			: undefined;

if (whyNot !== undefined || release === undefined) test.skip(`${title} [skipped: ${whyNot}]`, () => undefined);
else {
	test(title, async () => {
		const before = await packRelease(release);
		const after = await spoiltTarball(spoil);
		const problems = await updateProblems({
			installation: findInstallation(HOST),
			before: before.tarball,
			after: after.tarball,
			saving: 'static data',
		});
		await Promise.all([before.dispose(), after.dispose()]);
		expect(problems).toEqual(
			expect.arrayContaining([
				'a trigger with its defaults: a transaction is lost',
				'a trigger with each of its parameters: a transaction arrived 2 times instead of 1',
				'n8n-nodes-lead-revenue.createKeywordAutomation no longer has the parameter otherCommentType',
				expect.stringMatching(/^the trigger reaches back [56]\.\d minutes instead of 7$/),
			]),
		);
	});
}
