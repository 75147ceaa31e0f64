/** Whether a part of JSON is an object. An array is none. */
export function isObject(part: unknown): part is Record<string, unknown> {
	return isObjectOrArray(part) && !Array.isArray(part);
}

/** The names of an array are its indexes. */
export function isObjectOrArray(part: unknown): part is Record<string, unknown> {
	return typeof part === 'object' && part !== null;
}
