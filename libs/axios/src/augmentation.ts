import type { ErrorSluice } from './fields.js';

// Axios declares its types twice; both are augmented, for a project may see the one and its Nest the other.
export type * from './axios-cjs.cjs' with { 'resolution-mode': 'require' };
export type * from './axios-esm.mjs' with { 'resolution-mode': 'import' };

/** Why the module stopped: `error.sluice` of an Axios error, or null where the error carries none. */
export function sluiceOf(error: unknown): ErrorSluice | null {
  if (typeof error !== 'object' || error === null) return null;
  return (error as { sluice?: ErrorSluice }).sluice ?? null;
}
