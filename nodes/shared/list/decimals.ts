/** A decimal number: sign × 0.digits × 10^exponent, without zeros around the digits. */
export interface Decimal {
	/** 0 for zero, which has no digits. */
	sign: -1 | 0 | 1;
	digits: string;
	exponent: number;
}

// A longer text is no number that anyone has written.
const LONGEST_NUMBER = 400;

const FORM = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d{1,6}))?$/i;

/**
 * A number, or a text that is a number, with all its digits: a whole number beyond 2^53 arrives as text (see exactJson.ts).
 * @returns `undefined` for what is no number, and for Infinity: the number that it stands for is not known.
 */
export function decimalOf(value: unknown): Decimal | undefined {
	const text = typeof value === 'number' ? String(value) : value;
	if (typeof text !== 'string' || text.length > LONGEST_NUMBER) return undefined;
	const [, sign, number = '', power = '0'] = FORM.exec(text.trim()) ?? [];
	if (number === '') return undefined;
	const [whole = '', fraction = ''] = number.split('.');
	const digits = (whole + fraction).replace(/^0+/, '');
	const leading = (whole + fraction).length - digits.length;
	if (digits === '') return { sign: 0, digits, exponent: 0 };
	const exponent = whole.length - leading + Number(power);
	return { sign: sign === '-' ? -1 : 1, digits: digits.replace(/0+$/, ''), exponent };
}

/** Negative if `a` is less than `b`, 0 if they are equal, positive if it is greater. Exact. */
export function compareDecimals(a: Decimal, b: Decimal): number {
	if (a.sign !== b.sign) return a.sign - b.sign;
	if (a.exponent !== b.exponent) return a.sign * (a.exponent - b.exponent);
	if (a.digits === b.digits) return 0;
	return a.digits < b.digits ? -a.sign : a.sign;
}
