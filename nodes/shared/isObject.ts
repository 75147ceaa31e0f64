/** Whether a part of JSON is an object or an array. */
export function isObject(part: unknown): part is Record<string, unknown> {
	return typeof part === 'object' && part !== null;
}
