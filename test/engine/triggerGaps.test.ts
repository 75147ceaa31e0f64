import { TRANSACTIONS } from '../support/watched';
import { withoutBackoff } from '../support/service';
import { gapsOf } from './cases/gaps';

withoutBackoff();

describe(TRANSACTIONS.name, () => gapsOf(TRANSACTIONS));
