import { TRANSACTIONS } from '../support/watched';
import { withoutBackoff } from '../support/service';
import { restartOf } from './cases/restart';

withoutBackoff();

describe(TRANSACTIONS.name, () => restartOf(TRANSACTIONS));
