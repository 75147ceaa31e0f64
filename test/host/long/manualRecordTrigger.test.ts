import { MANUAL_RECORDS } from '../../support/watched';
import { pollingOf } from '../cases/polling';

jest.setTimeout(1_800_000);

describe(MANUAL_RECORDS.name, () => pollingOf(MANUAL_RECORDS));
