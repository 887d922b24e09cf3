/** Contracts of real providers. Every number can be overridden; what a provider's answers say is truer than any of them. */
import { XERO } from './profiles/xero.js';
import { providerFrom } from './provider-from.js';

export type { ContractSettings, Settings } from './provider-from.js';

export const xero = providerFrom(XERO);
