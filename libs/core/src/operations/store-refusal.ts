import { SluiceError } from '../errors/sluice-error.js';
import type { StoreRefusal } from './port/create.js';

/** What a caller is told whose work the store did not take. */
export function storeRefusal(provider: string, refusal: StoreRefusal): SluiceError {
  const { code, limit } = refusal;
  return new SluiceError({ code, provider, message: `Provider "${provider}": ${TEXT[refusal.of](limit)}` });
}

const TEXT: Record<StoreRefusal['of'], (limit: number) => string> = {
  lane: (limit) =>
    `the store holds ${limit} open operations of this lane, as many as it may; nothing was stored or sent. ` +
    'Try again when some have ended, or raise the bound.',
  tenant: (limit) =>
    `the store holds ${limit} open operations of this tenant in this lane, as many as it may; nothing was stored or sent. ` +
    'Try again when some have ended, or raise the bound.',
  payload: (limit) =>
    `the arguments take more than the ${limit} bytes that the store accepts; nothing was stored or sent. ` +
    'Pass a reference to large data in place of the data.',
};
