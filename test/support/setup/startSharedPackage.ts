import { shareTarball } from './shared.ts';

export default shareTarball;
