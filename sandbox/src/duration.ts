/** Milliseconds of a day. */
export const DAY_MS = 86_400_000;

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS };
const PATTERN = /^([+-]?)(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** What a duration may look like, for messages. */
export const DURATION_FORM = 'a number with a unit: ms, s, m, h or d (for example 500ms, 60s, 2m, 24h)';

/** Returns the milliseconds of a duration text such as `90s` or `-5m`; `undefined` when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
	const match = PATTERN.exec(text.trim());
	if (match === null) return undefined;
	const [, sign, amount, unit] = match;
	return (sign === '-' ? -1 : 1) * Math.round(Number(amount) * (UNITS[unit ?? ''] ?? Number.NaN));
}
