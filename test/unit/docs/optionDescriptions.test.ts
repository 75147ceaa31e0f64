import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { CreateKeywordAutomation } from '../../../nodes/CreateKeywordAutomation/CreateKeywordAutomation.node.ts';
import { GetRevenue } from '../../../nodes/GetRevenue/GetRevenue.node.ts';
import { ListLeads } from '../../../nodes/ListLeads/ListLeads.node.ts';
import { ManualRecordTrigger } from '../../../nodes/ManualRecordTrigger/ManualRecordTrigger.node.ts';
import { TagLead } from '../../../nodes/TagLead/TagLead.node.ts';
import { TransactionTrigger } from '../../../nodes/TransactionTrigger/TransactionTrigger.node.ts';

type Property = INodeProperties | INodePropertyCollection | INodePropertyOptions;

/** Below an option, n8n's editor shows two lines of about 55 characters, and cuts off the rest (measured on 2.41.1). */
const SHOWN = 105;

function descriptionsIn(properties: readonly Property[]): string[] {
	return properties.flatMap((property) => {
		if ('values' in property) return descriptionsIn(property.values);
		if ('type' in property) return descriptionsIn(property.options ?? []);
		return 'value' in property ? [property.description ?? ''] : [];
	});
}

test.each([CreateKeywordAutomation, GetRevenue, ListLeads, ManualRecordTrigger, TagLead, TransactionTrigger])(
	"the editor shows the options' whole descriptions: %p",
	(Node) => {
		const descriptions = descriptionsIn(new Node().description.properties);
		expect(descriptions).not.toEqual([]);
		expect(descriptions.filter(({ length }) => length > SHOWN)).toEqual([]);
	},
);
