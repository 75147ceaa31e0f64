import { describeLead } from '../../../nodes/TagLead/describeLead';

describe('a lead in the list', () => {
	test.each([
		['by its name', { id: 'l1', name: 'Ada', email: 'a@b.c' }, 'l1', 'Ada (l1)'],
		[
			'by first and last name, rather than by email',
			{ id: 'l1', first_name: 'Ada', last_name: 'L', email: 'a@b.c' },
			'l1',
			'Ada L (l1)',
		],
		['by one of them', { id: 'l1', surname: ' L ' }, 'l1', 'L (l1)'],
		['by its email, without a name', { id: 'l1', name: ' ', email: 'a@b.c' }, 'l1', 'a@b.c (l1)'],
		[
			'by a name inside another field',
			{ id: 'l1', tags: [{ name: 'no' }], profile: { name: 'Ada' } },
			'l1',
			'Ada (l1)',
		],
		['by its ID alone', { uid: 7, active: true }, '7', '7'],
	])('is shown %s', (_name, lead, id, label) => {
		expect(describeLead(lead)).toEqual({ id, label });
	});

	test.each([{}, { name: 'Ada' }, { id: '' }, { id: null }])('is not shown without an ID: %j', (lead) => {
		expect(describeLead(lead)).toBeUndefined();
	});
});
