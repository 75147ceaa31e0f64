import { withoutBackoff } from '../../support/service';
import { MANUAL_RECORDS } from '../../support/watched';
import { failuresOf } from '../cases/failures';

withoutBackoff();

describe(MANUAL_RECORDS.name, () => failuresOf(MANUAL_RECORDS));
