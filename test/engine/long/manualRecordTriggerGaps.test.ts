import { withoutBackoff } from '../../support/service';
import { MANUAL_RECORDS } from '../../support/watched';
import { gapsOf } from '../cases/gaps';

withoutBackoff();

describe(MANUAL_RECORDS.name, () => gapsOf(MANUAL_RECORDS));
