/** Returns the JSON Schema of an object that has these properties and no others. */
export function strictObject<P extends object>(properties: P, required: readonly string[] = []) {
	return { type: 'object', additionalProperties: false, properties, required } as const;
}
