import type { components, paths } from './apiTypes';

/** Records and bodies as the service's OpenAPI document describes them; generated, so never out of step with it. */
export type Schemas = components['schemas'];

/** The paths of the documented operations. */
export type ServicePath = keyof paths;
