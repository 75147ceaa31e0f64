const MAX_SHOWN = 10;

/** Notices for the user about the lists of one run. None of them is a reason to fail. */
export class Notices {
	/** The fields of `Fields` or of conditions, and whether any record of the run has them. A map is empty if there are no records. */
	private readonly fields = { selected: new Map<string, boolean>(), empty: new Map<string, boolean>() };
	/** The number of records that arrived a second time in their walk. */
	repeated = 0;

	/** @param what names a record in messages. @param advice continues the advice to run the node again at a quiet time. */
	constructor(
		private readonly what: string,
		private readonly advice = '',
	) {}

	noteField(use: 'selected' | 'empty', name: string, isThere: boolean): void {
		const noted = this.fields[use];
		if (isThere || !noted.has(name)) noted.set(name, isThere);
	}

	messages(): string[] {
		const messages: string[] = [];
		const [selected, empty] = [absentIn(this.fields.selected), absentIn(this.fields.empty)];
		if (selected.length > 0) {
			messages.push(
				`No ${this.what} has the selected field${selected.length === 1 ? '' : 's'} ${firstNames(selected)}. Check the spelling in "Fields": upper and lower case differ, and a field inside another one cannot be selected.`,
			);
		}
		if (empty.length > 0) {
			messages.push(
				`No ${this.what} read has ${firstNames(empty)}, so "Is Empty" holds for all of them. Check the spelling in "Only Records That Match": upper and lower case differ.`,
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

function absentIn(noted: ReadonlyMap<string, boolean>): string[] {
	return [...noted].filter(([, isThere]) => !isThere).map(([name]) => name);
}

function firstNames(names: readonly string[]): string {
	return names
		.slice(0, MAX_SHOWN)
		.map((name) => JSON.stringify(name.slice(0, 80)))
		.join(', ');
}
