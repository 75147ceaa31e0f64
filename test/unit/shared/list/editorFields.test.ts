import type { IDataObject } from 'n8n-workflow';
import { editorFields, FIELDS_METHOD, PATHS_METHOD } from '../../../../nodes/shared/list/editorFields.ts';
import { systemClock } from '../../../../nodes/shared/service/clock.ts';
import { LIST_LEADS } from '../../../../nodes/shared/service/reads.ts';
import type { Scripted } from '../../../support/scripted/wire.ts';
import { failure, functionsOn, pagesOf, ScriptedWire } from '../../../support/scripted/wire.ts';

const { [FIELDS_METHOD]: fields, [PATHS_METHOD]: paths } = editorFields(() => ({ call: LIST_LEADS, columns: ['id'] }));

async function listed(script: Scripted[], method = fields) {
	const wire = new ScriptedWire(script);
	const options = await method!.call(functionsOn(wire, 'listLeads') as never).catch((error: Error) => error.message);
	return { options, requests: wire.sent.length };
}

const counted = (name: string, count: number, of: number) => {
	return { name, value: name, description: `In ${count} of the ${of} records read` };
};

const leads = (count: number, more: IDataObject = {}) => Array.from({ length: count }, () => ({ id: 1, ...more }));

test('of a page that has more than was requested, the first 50 records count', async () => {
	const { options } = await listed(pagesOf([[...leads(20), ...leads(30, { email: 'e' }), ...leads(5, { late: 'x' })]]));
	expect(options).toEqual([counted('id', 50, 50), counted('email', 30, 50)]);
});

test('a field inside another one is listed as a path only', async () => {
	const page = () => pagesOf([leads(1, { profile: { email: 'e' } })]);
	expect((await listed(page())).options).toEqual([counted('id', 1, 1), counted('profile', 1, 1)]);
	expect((await listed(page(), paths)).options).toContainEqual(counted('profile.email', 1, 1));
});

const UNSAFE = ['', ' ', ' a', 'a\u200b', '=1', '{{ 1 }}'];

test.each(UNSAFE)('the name %j, which nobody can choose safely, is not listed', async (name) => {
	expect((await listed(pagesOf([leads(1, { [name]: 1 })]))).options).toEqual([counted('id', 1, 1)]);
});

test('a person is waiting, so the list gives up after two attempts', async () => {
	jest.spyOn(systemClock, 'random').mockReturnValue(0);
	const { options, requests } = await listed(Array<Scripted>(9).fill(failure(500)));
	expect(options).toMatch(/^The service failed to list leads after 2 attempts /);
	expect(requests).toBe(2);
});
