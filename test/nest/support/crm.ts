import { concurrency, defineProvider, type ProviderContract, type ProviderOptions } from 'nestjs-sluice';

/** A provider on the loopback: a few permits, no other limit, so that only what a test is about holds calls up. */
export function crmAt(url: string, more: Partial<ProviderOptions> = {}): ProviderContract {
  return defineProvider({
    name: 'crm',
    http: { baseURL: url },
    limits: [concurrency({ limit: 10 })],
    lanes: { interactive: {}, background: {} },
    guard: 0,
    ...more,
  });
}
