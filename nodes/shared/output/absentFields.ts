import type { FieldPresence } from './readOutput';

const MOST_NAMES = 10;

/** What to tell a user who selected fields that no record of the run has, such as a misspelled one; `undefined` if all have been seen. */
export function absentFields(presence: FieldPresence, what: string): string | undefined {
	const absent = [...presence].filter(([, isThere]) => !isThere).map(([name]) => name);
	if (absent.length === 0) return undefined;
	const names = absent.slice(0, MOST_NAMES).map((name) => JSON.stringify(name.slice(0, 80)));
	const message = `No ${what} has the selected field ${names.join(', ')}. Check the spelling in "Fields": upper and lower case differ, and a field inside another one cannot be selected.`;
	return message;
}
