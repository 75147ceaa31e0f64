import type { NodeHint } from 'n8n-workflow';
import { VOLATILE } from './parameterTexts';

/** Warns of expressions whose result a retry after a crash cannot send again: see Keys. `sources` names the parameters. */
export function volatileHint(sources: Readonly<Record<string, string>>): NodeHint {
	const texts = Object.keys(sources).map((name) => `$rawParameter["${name}"]`);
	return {
		type: 'warning',
		message:
			'An expression in this node returns a different value each time, as $now does. If n8n crashes, a retry cannot send the same change again, and the service rejects one that it already made. Take the value from the input data instead.',
		// The expression of a parameter begins with "=", also inside a list.
		displayCondition: `={{ [${texts.join(', ')}].map((text) => JSON.stringify(text) ?? "").some((text) => text.includes('"=') && ${VOLATILE}.test(text)) }}`,
		whenToDisplay: 'always',
		location: 'ndv',
	};
}
