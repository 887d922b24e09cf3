import { defineProvider, type ProviderContract, tokenBucket } from 'nestjs-sluice';

export interface AccountingOptions {
  readonly url: string;
  /** How many times as fast as written here time runs. */
  readonly speed: number;
  /** Whether the accounting system honours idempotency keys. */
  readonly keys: boolean;
  /** How long it may take to answer, in ms. Default: 10 s by the scaled clock. */
  readonly attemptMs?: number;
}

/** The accounting system as its vendor describes it: 30 requests a minute per account, bursts of 30. */
export function accountingContract({ url, speed, keys, attemptMs }: AccountingOptions): ProviderContract {
  const s = (seconds: number): number => (seconds * 1_000) / speed;
  return defineProvider({
    name: 'accounting',
    http: { baseURL: url },
    limits: [tokenBucket({ name: 'requests', burst: 30, limit: 30, per: s(60) })],
    routes: {
      client: 'GET /clients',
      invoices: 'GET /invoices',
      invoice: 'GET /invoices/:id',
      create: 'POST /invoices',
      send: 'POST /invoices/:id/send',
    },
    guard: '25ms',
    queue: { maxWait: s(600) },
    timeouts: { connect: s(5), attempt: attemptMs ?? s(10), total: s(900) },
    retry: { baseDelay: s(1), maxDelay: s(30), maxWait: s(120), budget: { floor: 4 } },
    pause: { initial: s(60), max: s(1_800) },
    breaker: { consecutiveFailures: 8, probeEvery: s(60), whileOpen: 'wait' },
    idempotency: keys ? {} : 'unsupported',
    reconcile: { settleTime: s(30) },
  });
}
