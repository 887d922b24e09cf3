import {
  type Behaviour,
  ProviderSimulator,
  type Routes,
  type Script,
  SeededRandom,
  type SimulatedRequest,
  type SimulatorOptions,
} from 'nestjs-sluice/testing';

/** An invoice as the accounting system keeps it. */
export interface Invoice {
  readonly id: string;
  readonly clientId: string;
  /** The client's own reference, by which it is found again. Two invoices of one reference are a duplicate. */
  readonly reference: string;
  readonly hours: number;
  /** How often it was sent to the client. */
  timesSent: number;
}

export interface AccountingOptions {
  /** How much faster than real time the limits, waits and faults run. Default: 1. */
  readonly speed?: number;
  /** Share (0 to 1) of reads that are answered 503. Default: 0. */
  readonly failingShare?: number;
  /** The invoice (1, 2, 3 ...) that is created but answered only after `slowAnswerMs`. Default: none. */
  readonly slowInvoice?: number;
  /** Before `speed`. Default: 15 s, past a usual time limit of 10 s. */
  readonly slowAnswerMs?: number;
  /** Another program that uses the account sends one request every so many milliseconds, before `speed`. Default: none. */
  readonly otherEveryMs?: number;
  /** Whether `Idempotency-Key` is honoured. Default: false. */
  readonly idempotencyKeys?: boolean;
  /** Share (0 to 1) of writes that take effect only when their answer is due, whether or not somebody waits for it. Default: 0. */
  readonly lateShare?: number;
  /** Time to work on a request. Default: 5 ms, whatever the speed. */
  readonly latencyMs?: SimulatorOptions['latencyMs'];
  /** Called with each request that was let in, before it takes effect. Default: nothing. */
  readonly onRequest?: (request: SimulatedRequest) => void;
  /** Default: one that is free. */
  readonly port?: number;
}

export interface AccountingApi {
  readonly url: string;
  /** Its log is the ground truth; its faults can be switched. */
  readonly simulator: ProviderSimulator;
  /** The invoices that exist. */
  readonly invoices: readonly Invoice[];
  stop(): Promise<void>;
}

/** What the accounting system's own books say, for who reads them over HTTP: `GET /books`, which no limit counts. */
export interface Books {
  readonly invoices: readonly Invoice[];
  /** Invoices beyond the first of their reference. */
  readonly duplicates: number;
  readonly requests: number;
  readonly refused: number;
}

/** The client that has no tax number: an invoice for it is refused with 422. */
export const CLIENT_WITHOUT_TAX_NUMBER = 'client-13';

const BURST = 30;
const PER_MINUTE = 30;
const MINUTE_MS = 60_000;
const DEFAULT_SLOW_ANSWER_MS = 15_000;
const DEFAULT_LATENCY_MS = 5;

/**
 * An accounting API that allows 30 requests a minute with a burst of 30, per account: `GET /clients?reference`,
 * `GET /invoices?reference`, `GET /invoices/:id`, `POST /invoices`, `POST /invoices/:id/send`.
 */
export async function startAccounting(options: AccountingOptions = {}): Promise<AccountingApi> {
  const { speed = 1, otherEveryMs } = options;
  const invoices: Invoice[] = [];
  const simulator: ProviderSimulator = new ProviderSimulator({
    limits: [
      {
        kind: 'token-bucket',
        name: 'requests',
        burst: BURST,
        limit: PER_MINUTE,
        perMs: Math.round(MINUTE_MS / speed),
        applies: ({ path }) => path !== '/books',
      },
    ],
    quotaHeaders: 'x-ratelimit',
    latencyMs: options.latencyMs ?? DEFAULT_LATENCY_MS,
    routes: { ...routesOf(invoices), 'GET /books': () => ({ status: 200, body: booksOf(simulator, invoices) }) },
    script: scriptOf(options, (options.slowAnswerMs ?? DEFAULT_SLOW_ANSWER_MS) / speed),
    faults:
      options.failingShare === undefined
        ? {}
        : { applies: isRead, failing: { share: options.failingShare, status: 503 } },
    others: otherEveryMs === undefined ? [] : [{ everyMs: otherEveryMs / speed, path: '/clients' }],
    idempotency: options.idempotencyKeys === true ? {} : undefined,
    afterDisconnect: 'finish',
  });
  await simulator.start(options.port);
  return { url: simulator.url, simulator, invoices, stop: () => simulator.stop() };
}

const isRead = ({ method, path }: SimulatedRequest): boolean => method === 'GET' && path !== '/books';

/** The books as the accounting system would show them. */
export function booksOf({ log }: Pick<ProviderSimulator, 'log'>, invoices: readonly Invoice[]): Books {
  const requests = log.filter(({ path }) => path !== '/books');
  return {
    invoices,
    duplicates: invoices.length - new Set(invoices.map(({ reference }) => reference)).size,
    requests: requests.length,
    refused: requests.filter(({ verdict }) => verdict === 'limited').length,
  };
}

function routesOf(invoices: Invoice[]): Routes {
  return {
    'GET /clients': ({ query }) => {
      const reference = query['reference'];
      if (reference === undefined) return { status: 400, body: { error: 'reference is missing' } };
      const taxNumber = reference === CLIENT_WITHOUT_TAX_NUMBER ? null : `TAX-${reference}`;
      return { status: 200, body: { id: reference, taxNumber } };
    },
    'GET /invoices': ({ query }) => ({
      status: 200,
      body: invoices.filter(({ reference }) => reference === query['reference']),
    }),
    'GET /invoices/:id': (_request, { params }) => {
      const invoice = invoices.find(({ id }) => id === params['id']);
      return invoice === undefined
        ? { status: 404, body: { error: 'no such invoice' } }
        : { status: 200, body: invoice };
    },
    'POST /invoices': ({ body }) => {
      const { clientId, reference, hours } = (body ?? {}) as Partial<Invoice>;
      if (clientId === undefined || reference === undefined || typeof hours !== 'number') {
        return { status: 400, body: { error: 'clientId, reference and hours are needed' } };
      }
      if (clientId === CLIENT_WITHOUT_TAX_NUMBER)
        return { status: 422, body: { error: 'the client has no tax number', field: 'taxNumber' } };
      const invoice: Invoice = { id: `inv-${invoices.length + 1}`, clientId, reference, hours, timesSent: 0 };
      invoices.push(invoice);
      return { status: 201, body: invoice };
    },
    'POST /invoices/:id/send': (_request, { params }) => {
      const invoice = invoices.find(({ id }) => id === params['id']);
      if (invoice === undefined) return { status: 404, body: { error: 'no such invoice' } };
      invoice.timesSent += 1;
      return { status: 200, body: invoice };
    },
  };
}

function scriptOf({ slowInvoice, lateShare = 0, onRequest }: AccountingOptions, slowMs: number): Script {
  const random = new SeededRandom(7);
  let created = 0;
  return {
    next(request: SimulatedRequest): Behaviour | null {
      onRequest?.(request);
      if (request.method !== 'POST') return null;
      const isLate = random.next() < lateShare;
      if (request.path === '/invoices') created += 1;
      const isSlow = request.path === '/invoices' && created === slowInvoice;
      return { executes: isLate ? 'last' : 'first', slowMs: isSlow ? slowMs : 0 };
    },
  };
}
