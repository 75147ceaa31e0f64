import { SCHEDULED } from '../../support/host/polling.ts';
import { TRANSACTIONS } from '../../support/watched.ts';
import { pollingOf } from '../cases/polling.ts';

jest.setTimeout(1_800_000);

describe(TRANSACTIONS.name, () => pollingOf(TRANSACTIONS, { ways: [SCHEDULED], isShort: true }));
