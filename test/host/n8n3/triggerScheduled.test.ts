import { SCHEDULED } from '../../support/host/polling';
import { TRANSACTIONS } from '../../support/watched';
import { pollingOf } from '../cases/polling';

jest.setTimeout(1_800_000);

describe(TRANSACTIONS.name, () => pollingOf(TRANSACTIONS, { ways: [SCHEDULED], isShort: true }));
