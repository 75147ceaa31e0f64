import type { AllSwitches } from '../switches.ts';

const MINOR_PER_MAJOR = 100;

/** Returns the SQL expression of a money column in the unit the switch `amount-unit` names, as an integer. */
export function moneySql(column: string, unit: AllSwitches['amount-unit']): string {
	return unit === 'minor' ? column : `CAST(round(${column} / ${MINOR_PER_MAJOR}.0) AS INTEGER)`;
}

/** Returns a stored amount in the unit the switch names; rounds as {@link moneySql} does. */
export function money(amount: number, unit: AllSwitches['amount-unit']): number {
	if (unit === 'minor') return amount;
	return Math.sign(amount) * Math.round(Math.abs(amount) / MINOR_PER_MAJOR);
}
