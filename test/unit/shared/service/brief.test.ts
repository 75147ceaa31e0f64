import { brief } from '../../../../nodes/shared/service/brief';

describe('what is remembered of a text', () => {
	test('a text of up to 200 characters itself', () => {
		expect(brief('')).toBe('');
		expect(brief('c'.repeat(200))).toBe('c'.repeat(200));
	});

	test('of a longer one less than that, and another for each', () => {
		const long = 'c'.repeat(16_000);
		expect(brief(long)).toHaveLength(44);
		expect(brief(long)).toBe(brief(long));
		expect(brief(`${long}a`)).not.toBe(brief(`${long}b`));
	});
});
