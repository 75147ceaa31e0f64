import { withoutBackoff } from '../support/service';
import { TRANSACTIONS } from '../support/watched';
import { gapsOf } from './cases/gaps';

withoutBackoff();

describe(TRANSACTIONS.name, () => gapsOf(TRANSACTIONS));
