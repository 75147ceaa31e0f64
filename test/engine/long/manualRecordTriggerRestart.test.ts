import { withoutBackoff } from '../../support/service';
import { MANUAL_RECORDS } from '../../support/watched';
import { restartOf } from '../cases/restart';

withoutBackoff();

describe(MANUAL_RECORDS.name, () => restartOf(MANUAL_RECORDS));
