import type { Encoder } from './file';

/** An array with one record a line. */
export function jsonEncoder(): Encoder {
	let before = '[\n';
	return {
		page(records) {
			let page = '';
			for (const record of records) {
				page += before + JSON.stringify(record);
				before = ',\n';
			}
			return page;
		},
		end: () => (before === ',\n' ? '\n]\n' : '[]\n'),
	};
}

/** JSON Lines (jsonlines.org): one record a line, and nothing else. */
export function jsonLinesEncoder(): Encoder {
	return {
		page: (records) => records.map((record) => `${JSON.stringify(record)}\n`).join(''),
		end: () => '',
	};
}
