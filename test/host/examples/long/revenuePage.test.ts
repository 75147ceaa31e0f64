import { askOnceRegistered } from '../../../../scripts/n8n/ask.ts';
import { describeExample, json } from '../../../support/host/exampleRuns.ts';
import { readExample } from '../../../support/host/examples.ts';
import { control } from '../../../support/service.ts';

describeExample(
	'revenue-page',
	(runs) => {
		const withPassword = (password: string) => ({
			headers: { authorization: `Basic ${Buffer.from(`books:${password}`).toString('base64')}` },
		});

		test('the page needs the password, and is that of the daily report', async () => {
			const { session } = runs;
			await runs.start({ transactions: 40 });
			await control.addTransactions(runs.org.id, [{ product_name: '<script>alert(1)</script>', amount: 5_000_000 }]);
			const { id, name } = await session.createCredential('page', 'httpBasicAuth', {
				user: 'books',
				password: 'long one',
			});
			const page = await runs.use((node) => {
				node('Page').credentials = { httpBasicAuth: { id, name } };
			});
			await session.publishWorkflow(page);
			const address = `${runs.host.address.url}/webhook/revenue`;
			try {
				let { response } = await askOnceRegistered(address);
				expect([response.status, response.headers.get('www-authenticate')]).toEqual([
					401,
					expect.stringContaining('Basic'),
				]);
				// 401 in n8n 2.41, 403 in 1.123.
				expect([401, 403]).toContain((await fetch(address, withPassword('another'))).status);
				expect(await runs.org.journal()).toEqual([]);

				response = await fetch(address, withPassword('long one'));
				expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
					200,
					'text/html; charset=utf-8',
					'no-store',
				]);
				const { execution } = await runs.run(undefined, 'daily-revenue-report');
				const unlike = (text: string) => text.replace(/computed at [^<]*/, '');
				const text = await response.text();
				expect(unlike(text)).toBe(unlike(String(json(execution, 'Report')[0]?.html)));
				expect(text).toContain('<strong>&#60;script&#62;alert(1)&#60;/script&#62;</strong>');
			} finally {
				await session.deactivateWorkflow(page);
			}
		});

		test('by hand: draws the page without a password', async () => {
			await runs.start({ transactions: 10 });
			const { execution } = await runs.run();
			expect(String(json(execution, 'Report')[0]?.html)).toContain('<h1');
		});

		test('both examples draw the report with the same nodes', async () => {
			const drawing = async (file: string) =>
				(await readExample(file)).nodes
					.filter(({ name }) => ['These days', 'The days before', 'Lines', 'Report'].includes(name))
					.map(({ name, type, typeVersion, parameters }) => ({ name, type, typeVersion, parameters }));
			expect(await drawing('revenue-page')).toEqual(await drawing('daily-revenue-report'));
			expect(await drawing('revenue-page')).toHaveLength(4);
		});
	},
	{ onN8n1: true },
);
