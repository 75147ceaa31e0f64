/**
 * n8n's functions of a run with some of them replaced, for one callee; n8n's own object stays as it is. The result
 * inherits the rest: n8n's functions are methods of a class, which a copy would lose, and they call each other through
 * `this`, so n8n itself uses the replacements (read in n8n 1.123.81 and 2.41.1).
 */
export function functionsWith<Functions extends object>(
	functions: Functions,
	replacements: Partial<Functions>,
): Functions {
	const own = Object.create(functions) as Functions;
	for (const [name, value] of Object.entries(replacements)) Object.defineProperty(own, name, { value });
	return own;
}
