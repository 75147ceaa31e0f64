import { withoutBackoff } from '../../support/service.ts';
import { MANUAL_RECORDS } from '../../support/watched.ts';
import { restartOf } from '../cases/restart.ts';

withoutBackoff();

describe(MANUAL_RECORDS.name, () => restartOf(MANUAL_RECORDS));
