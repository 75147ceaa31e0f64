import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

// What n8n's own linter does not see, and for the nodes what it does not look for. It runs beside this: npm run lint.
export default tseslint.config(
	{ ignores: ['**/dist/', '**/node_modules/', '.home/', '.mutation/', 'hosts/', 'nodes/shared/service/apiTypes.ts'] },
	{ linterOptions: { reportUnusedDisableDirectives: 'error', noInlineConfig: true } },
	eslint.configs.recommended,
	tseslint.configs.strict,
	{
		rules: {
			'no-undef': 'off',
			eqeqeq: 'error',
			'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
			'no-console': 'error',
			'prefer-const': 'error',
			'@typescript-eslint/consistent-type-imports': 'error',
			'@typescript-eslint/no-unused-vars': [
				'error',
				{ argsIgnorePattern: '^_', caughtErrors: 'all', varsIgnorePattern: '^_' },
			],
		},
	},
	{
		// What the trigger knows of n8n and of requests is beside its core, which the simulation runs by itself.
		files: ['nodes/TransactionTrigger/core/**'],
		rules: {
			'no-restricted-imports': [
				'error',
				{ patterns: [{ regex: '^(?!\\./|node:crypto$)', message: 'The core imports nothing outside itself.' }] },
			],
		},
	},
	{
		// A test says what it expects; one that finds nothing there fails all the same.
		files: ['test/**'],
		rules: {
			'@typescript-eslint/no-non-null-assertion': 'off',
			'@typescript-eslint/no-explicit-any': 'off',
			'no-restricted-properties': [
				'error',
				{
					object: 'Math',
					property: 'random',
					message: 'The same code has to end the same way: draw with randomFrom(SEED).',
				},
			],
		},
	},
	{ files: ['**/*.{js,cjs}'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
);
