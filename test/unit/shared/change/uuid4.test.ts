import { isUuid4 } from '../../../../nodes/shared/change/uuid4';

test.each([
	['2f1e4fc0-81fd-4a2e-9bd4-4d6a7a3b1c0d', true],
	['2F1E4FC0-81FD-4A2E-9BD4-4D6A7A3B1C0D', true],
	['c232ab00-9414-11ec-b3c8-9f6bdeced846', false],
	['0190163d-8694-739b-aea5-966c26f8ad91', false],
	['2f1e4fc0-81fd-4a2e-9bd4-4d6a7a3b1c0', false],
	['', false],
])('%j is a UUID4: %s', (text, expected) => {
	expect(isUuid4(text)).toBe(expected);
});
