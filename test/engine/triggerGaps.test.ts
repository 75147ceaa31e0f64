import { withoutBackoff } from '../support/service.ts';
import { TRANSACTIONS } from '../support/watched.ts';
import { gapsOf } from './cases/gaps.ts';

withoutBackoff();

describe(TRANSACTIONS.name, () => gapsOf(TRANSACTIONS));
