import type { Call } from '../service/call';
import type { RecordKind } from './core/memory/fingerprint';

/** A filter of the user on one field of a record. */
export interface FieldFilter {
	displayName: string;
	/** The field of the record, and the name of the parameter. */
	name: string;
	/** The documented values and their names. Without them the editor lists those of existing records. */
	values?: Readonly<Record<string, string>>;
}

/** What differs between the triggers: the list that one watches, and its words. */
export interface Source {
	kind: RecordKind;
	/** One record in texts, such as "transaction". */
	singular: string;
	list: Call;
	/** Where the state is in the workflow's global static data; the node's id follows. */
	stateKey: string;
	/** The values of the parameter Event. */
	events: { new: string; newOrUpdated: string };
	/** The name of the parameter that limits how many records a poll emits. */
	maxName: string;
	/** The fields of a record but the id, which never changes, and their names in the editor. */
	fieldNames: Readonly<Record<string, string>>;
	filters: readonly FieldFilter[];
	/** Completes "Start From: A Date": what arrives first. */
	sinceDate: string;
	/** How to get a first record for a test event. */
	getOne: string;
	/** The Start From of a copy that continues where this trigger was. */
	whereItWas: string;
}
