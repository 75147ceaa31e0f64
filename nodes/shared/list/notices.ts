const MAX_SHOWN = 10;

/** Notices for the user about the lists of one run. None of them is a reason to fail. */
export class Notices {
	/** The selected fields, and whether any record of the run has them. The map is empty if there are no records. */
	private readonly selected = new Map<string, boolean>();
	/** The number of records that arrived a second time in their walk. */
	repeated = 0;
	/** The fields of the Is Empty conditions that none of the records read has. */
	readonly emptyFields = new Set<string>();

	/** @param what names a record in messages. @param advice continues the advice to run the node again at a quiet time. */
	constructor(
		private readonly what: string,
		private readonly advice = '',
	) {}

	noteField(name: string, isThere: boolean): void {
		if (isThere || !this.selected.has(name)) this.selected.set(name, isThere);
	}

	messages(): string[] {
		const messages: string[] = [];
		const absent = [...this.selected].filter(([, isThere]) => !isThere).map(([name]) => name);
		if (absent.length > 0) {
			messages.push(
				`No ${this.what} has the selected field${absent.length === 1 ? '' : 's'} ${firstNames(absent)}. Check the spelling in "Fields": upper and lower case differ, and a field inside another one cannot be selected.`,
			);
		}
		if (this.emptyFields.size > 0) {
			messages.push(
				`No ${this.what} read has ${firstNames([...this.emptyFields])}, so "Is Empty" holds for all of them. Check the spelling in "Only Records That Match": upper and lower case differ.`,
			);
		}
		if (this.repeated > 0) {
			messages.push(
				`The list changed while it was read: ${this.repeated} ${this.what}${this.repeated === 1 ? '' : 's'} arrived twice, and others may be missing. Run the node again at a quiet time${this.advice}.`,
			);
		}
		return messages;
	}
}

function firstNames(names: readonly string[]): string {
	return names
		.slice(0, MAX_SHOWN)
		.map((name) => JSON.stringify(name.slice(0, 80)))
		.join(', ');
}
