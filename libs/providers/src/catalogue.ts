/** Every provider of the catalogue: what documentation and tests go through. */
import type { Profile } from './profile.js';
import { XERO } from './profiles/xero.js';

export const CATALOGUE: readonly Profile[] = [XERO] as unknown as readonly Profile[];
