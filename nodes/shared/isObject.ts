/** Whether a part of JSON is an object. An array is not. */
export function isObject(part: unknown): part is Record<string, unknown> {
	return isObjectOrArray(part) && !Array.isArray(part);
}

/** Whether a part of JSON is an object or an array, whose names are its indexes. */
export function isObjectOrArray(part: unknown): part is Record<string, unknown> {
	return typeof part === 'object' && part !== null;
}
