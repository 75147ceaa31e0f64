import { mix, seedOf, unmix } from './random.ts';

/** The kinds of lead id a service might use. The API document shows only "string", and not the fields of a lead. */
type LeadIdKind = 'text' | 'numeric-text' | 'number' | 'unicode';

const ALPHABET_BASE = 32;
const CODE_LENGTH = 7;
const UNICODE_SUFFIX = ' é/ß?#&+%';

/**
 * Ids of one organization's records. An id is computed from the record's position and back again, so a million
 * leads need no index of ids, and the ids of two organizations differ even when their data is the same.
 */
export class Identifiers {
	private readonly salt: number;

	constructor(organizationNumber: number, seed: number) {
		this.salt = mix(seedOf(`organization ${organizationNumber}`) ^ seed);
	}

	lead(position: number, kind: LeadIdKind): string {
		const code = mix(position ^ this.salt);
		if (kind === 'numeric-text' || kind === 'number') return String(code);
		return kind === 'unicode' ? `${encode(code)}${UNICODE_SUFFIX}` : `lead_${encode(code)}`;
	}

	/** Returns the position of the lead with this id, or `undefined` when no lead can have it. */
	leadPosition(id: string, kind: LeadIdKind): number | undefined {
		const position = (unmix(this.leadCode(id, kind)) ^ this.salt) >>> 0;
		return this.lead(position, kind) === id ? position : undefined;
	}

	transaction(position: number): string {
		return `txn_${encode(mix(position ^ this.salt ^ 0x7472616e))}`;
	}

	manualRecord(position: number): string {
		return `manual_${encode(mix(position ^ this.salt ^ 0x6d616e75))}`;
	}

	automation(position: number): string {
		return `auto_${encode(mix(position ^ this.salt ^ 0x6175746f))}`;
	}

	private leadCode(id: string, kind: LeadIdKind): number {
		if (kind === 'numeric-text' || kind === 'number') return Number.parseInt(id, 10) >>> 0;
		const digits = kind === 'unicode' ? id.slice(0, -UNICODE_SUFFIX.length) : id.slice('lead_'.length);
		return Number.parseInt(digits, ALPHABET_BASE) >>> 0;
	}
}

function encode(code: number): string {
	return code.toString(ALPHABET_BASE).padStart(CODE_LENGTH, '0');
}
