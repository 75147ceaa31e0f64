import { revenueOperationField } from '../../../nodes/GetRevenue/pagination.ts';

test('the pagination belongs to the parameter: n8n sends no request of its own, whatever the operation', () => {
	const { options, routing } = revenueOperationField;
	expect(routing).toEqual({ send: { paginate: true }, operations: { pagination: expect.any(Function) } });
	for (const option of options ?? []) {
		expect(option).toMatchObject({ routing: { request: { method: 'GET', url: expect.stringMatching(/^\/v1\//) } } });
		expect(Object.keys((option as { routing: object }).routing)).toEqual(['request']);
	}
});
