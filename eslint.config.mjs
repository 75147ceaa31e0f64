import eslint from '@eslint/js';
import simpleImportSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';

const TYPES_APART = {
	selector: 'ImportDeclaration[importKind="value"] > ImportSpecifier[importKind="type"]',
	message: 'Import types by an `import type` of their own, above the import of values.',
};

const WITH_ENDING = {
	selector: ':matches(ImportDeclaration, ExportNamedDeclaration, ImportExpression)[source.value=/^\\.(?!.*\\.\\w+$)/]',
	message: 'Name the imported file with its ending: Node needs it to run a script as it is.',
};

// Rules for what n8n's linter does not see, and more rules for the nodes. npm run lint runs both.
export default tseslint.config(
	{ ignores: ['**/dist/', '**/node_modules/', '.home/', '.mutation/', 'hosts/'] },
	{ linterOptions: { reportUnusedDisableDirectives: 'error', noInlineConfig: true } },
	eslint.configs.recommended,
	tseslint.configs.strict,
	{
		plugins: { 'simple-import-sort': simpleImportSort },
		rules: {
			// Packages, then files: those farther away first.
			'simple-import-sort/imports': ['error', { groups: [['^node:', '^@?\\w', '^\\.']] }],
			'no-undef': 'off',
			curly: ['error', 'multi-line'],
			eqeqeq: 'error',
			'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
			'no-console': 'error',
			'prefer-const': 'error',
			'@typescript-eslint/array-type': ['error', { default: 'array-simple' }],
			'@typescript-eslint/consistent-type-imports': 'error',
			'no-restricted-syntax': ['error', TYPES_APART],
			'@typescript-eslint/no-unused-vars': [
				'error',
				{ argsIgnorePattern: '^_', caughtErrors: 'all', varsIgnorePattern: '^_' },
			],
		},
	},
	{
		// The simulation runs the trigger's core by itself, so n8n and requests stay outside it.
		files: ['nodes/shared/trigger/core/**'],
		rules: {
			'no-restricted-imports': [
				'error',
				{
					patterns: [
						{
							regex:
								'^(?!\\./|\\.\\./(memory/|(state|period|delivery|failures)$)|(\\.\\./)+(digest|isObject|service/trail)$)',
							message:
								'The core imports nothing outside itself but digests, isObject and the cycle detector of all lists.',
						},
					],
				},
			],
		},
	},
	{
		files: ['bench/**/*.ts', 'sandbox/**/*.ts', 'scripts/**/*.ts', 'test/**/*.ts'],
		rules: { 'no-restricted-syntax': ['error', TYPES_APART, WITH_ENDING] },
	},
	{
		// A test fails anyway where an expected value is missing.
		files: ['test/**'],
		rules: {
			'@typescript-eslint/no-non-null-assertion': 'off',
			'@typescript-eslint/no-explicit-any': 'off',
			'no-restricted-properties': [
				'error',
				{ object: 'Math', property: 'random', message: 'Tests must be repeatable: draw with randomFrom(SEED).' },
			],
		},
	},
	// It is generated.
	{ files: ['nodes/shared/service/schemas.ts'], rules: { '@typescript-eslint/array-type': 'off' } },
	{ files: ['**/*.{js,cjs}'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
);
