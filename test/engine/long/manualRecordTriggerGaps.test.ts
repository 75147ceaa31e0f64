import { withoutBackoff } from '../../support/service.ts';
import { MANUAL_RECORDS } from '../../support/watched.ts';
import { gapsOf } from '../cases/gaps.ts';

withoutBackoff();

describe(MANUAL_RECORDS.name, () => gapsOf(MANUAL_RECORDS));
