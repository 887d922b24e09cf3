import type { Profile } from '../libs/providers/src/profile.js';

export const PAGE: string;
export function providersPage(catalogue: readonly Profile[], contractOf: (profile: Profile) => unknown): string;
/** What `nestjs-sluice/providers` calls the function of a profile. */
export function camelCase(name: string): string;
