import { functionsWith } from '../../../../../nodes/shared/service/connection/functionsWith';

/** As n8n's are: methods of a class, which call each other. */
class Functions {
	private readonly name = 'n8n';

	own(): string {
		return `${this.name}: ${this.replaced()}`;
	}

	replaced(): string {
		return 'its own';
	}
}

test('functions with some replaced keep the others, which use the replacements', () => {
	expect(functionsWith(new Functions(), { replaced: () => 'mine' }).own()).toBe('n8n: mine');
});

test('leave the original as it is, also one that cannot be changed', () => {
	const original = Object.freeze(new Functions());
	expect(functionsWith(original, { replaced: () => 'mine' }).replaced()).toBe('mine');
	expect(original.own()).toBe('n8n: its own');
});
