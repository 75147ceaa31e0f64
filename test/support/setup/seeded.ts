import fc from 'fast-check';
import { SEED } from '../seed.ts';

// Without a seed fast-check draws one from the time.
fc.configureGlobal({ seed: SEED });
