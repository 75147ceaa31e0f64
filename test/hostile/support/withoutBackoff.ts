import { systemClock } from '../../../nodes/shared/service/clock';

/** Makes full jitter always draw a backoff of zero. */
export function withoutBackoff(): void {
	beforeEach(() => {
		jest.spyOn(systemClock, 'random').mockReturnValue(0);
	});
	afterEach(() => {
		jest.restoreAllMocks();
	});
}
