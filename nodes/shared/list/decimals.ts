/** The decimal number sign × 0.digits × 10^exponent. The digits neither begin nor end with a zero. */
interface Decimal {
	/** Zero has the sign 0 and no digits. */
	sign: -1 | 0 | 1;
	digits: string;
	exponent: number;
}

// No person writes a longer number.
const MAX_NUMBER_LENGTH = 400;

const FORM = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d{1,6}))?$/i;

/** Reads all digits of a number or a numeric text; otherwise `undefined`, as for Infinity, which may stand for any large number. */
export function decimalOf(value: unknown): Decimal | undefined {
	const text = typeof value === 'number' ? String(value) : value;
	if (typeof text !== 'string' || text.length > MAX_NUMBER_LENGTH) return undefined;
	const [, sign, number = '', power = '0'] = FORM.exec(text.trim()) ?? [];
	if (number === '') return undefined;
	const [whole = '', fraction = ''] = number.split('.');
	const digits = (whole + fraction).replace(/^0+/, '');
	const leading = (whole + fraction).length - digits.length;
	if (digits === '') return { sign: 0, digits, exponent: 0 };
	const exponent = whole.length - leading + Number(power);
	return { sign: sign === '-' ? -1 : 1, digits: digits.replace(/0+$/, ''), exponent };
}

/** Returns the exact order: negative if `a` is less than `b`, 0 if they are equal, positive if `a` is greater. */
export function compareDecimals(a: Decimal, b: Decimal): number {
	if (a.sign !== b.sign) return a.sign - b.sign;
	if (a.exponent !== b.exponent) return a.sign * (a.exponent - b.exponent);
	if (a.digits === b.digits) return 0;
	return a.digits < b.digits ? -a.sign : a.sign;
}
