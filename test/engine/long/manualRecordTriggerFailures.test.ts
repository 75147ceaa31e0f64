import { withoutBackoff } from '../../support/service.ts';
import { MANUAL_RECORDS } from '../../support/watched.ts';
import { failuresOf } from '../cases/failures.ts';

withoutBackoff();

describe(MANUAL_RECORDS.name, () => failuresOf(MANUAL_RECORDS));
