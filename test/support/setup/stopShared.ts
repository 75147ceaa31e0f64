import { stopShared } from './shared.ts';

export default stopShared;
