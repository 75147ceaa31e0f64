import { readBoolean } from '../shared/parameters/read';
import type { Schemas, ServicePath } from '../shared/service/schemas';
import type { WriteOperation } from '../shared/change/changeItems';
import { rejectActiveByAgent } from './agentMayActivate';
import { readKeywords, readReplies, readRequiredText } from './texts';

/** Creates a keyword automation: POST /v1/automations/keyword/ (API document, Operations). */
export const createKeywordAutomation: WriteOperation<Required<Schemas['KeywordAutomation']>> = {
	purpose: 'create the keyword automation',
	sources: {
		name: 'name',
		isActive: 'is_active',
		keywords: 'keywords',
		commentType: 'comment_type',
		otherCommentType: 'comment_type',
		replies: 'replies',
	},
	read(parameters) {
		const { get } = parameters;
		const commentType = get('commentType');
		const isActive = readBoolean(parameters, 'Active', get('isActive'));
		if (isActive) rejectActiveByAgent(parameters);
		return {
			name: readRequiredText(parameters, 'Name', get('name')),
			is_active: isActive,
			keywords: readKeywords(parameters, get('keywords')),
			comment_type:
				commentType === 'OTHER'
					? readRequiredText(parameters, 'Other Comment Type', get('otherCommentType'))
					: readRequiredText(parameters, 'Comment Type', commentType),
			replies: readReplies(parameters, get('replies')).map((text) => ({ text })),
		};
	},
	callFor: (automation) => ({
		method: 'POST',
		path: '/v1/automations/keyword/' satisfies ServicePath,
		body: automation,
		needs: 'the scope automations:write, and a member role of Creator or Manager',
		missing:
			'Keyword automations are probably not enabled for the organization of the credential. Have the feature enabled, or use a credential of another organization.',
	}),
};
