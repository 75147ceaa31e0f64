import { MANUAL_RECORDS } from '../../support/watched.ts';
import { pollingOf } from '../cases/polling.ts';

jest.setTimeout(1_800_000);

// The triggers share their core and their host code: the Transaction Trigger shows the rest.
describe(MANUAL_RECORDS.name, () => pollingOf(MANUAL_RECORDS, { isShort: true }));
