import { shareSandbox } from './shared.ts';

export default shareSandbox;
