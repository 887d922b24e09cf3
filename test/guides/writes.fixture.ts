/** What happens to one write, through the whole chain: decorated method, HttpService, gate, store file, simulated provider. */
import { HttpService } from '@nestjs/axios';
import { type ArgumentsHost, Injectable } from '@nestjs/common';
import {
  absent,
  Durable,
  found,
  Idempotent,
  InjectProvider,
  isSluiceError,
  type ProviderOptions,
  RateLimitExceptionFilter,
  RateLimitService,
  type Reconciled,
  sluiceOf,
  Throttled,
} from 'nestjs-sluice';
import { sqliteStore } from 'nestjs-sluice/sqlite';
import { ProviderSimulator } from 'nestjs-sluice/testing';
import { firstValueFrom } from 'rxjs';
import { type DurableApp, DurableWorld } from '../nest/support/durable-world.js';
import { mortalStore } from '../nest/support/mortal-store.js';

interface Payment {
  readonly id: string;
}

/** What a test does to the method while it runs. */
class Interference {
  /** Of the next run alone. */
  signal: AbortSignal | null = null;
  /** Of its end, after the answer. */
  held: Promise<void> | null = null;
}

@Injectable()
class Payments {
  constructor(
    @InjectProvider('bank') private readonly http: HttpService,
    private readonly interference: Interference,
  ) {}

  @Throttled('bank')
  @Idempotent({ key: (payment: Payment) => payment.id, reconcile: 'find' })
  pay(payment: Payment): Promise<unknown> {
    return this.send(payment);
  }

  @Durable({ name: 'payment' })
  @Throttled('bank')
  @Idempotent({ key: (payment: Payment) => payment.id, reconcile: 'find' })
  payDurable(payment: Payment): Promise<unknown> {
    return this.send(payment);
  }

  async find(payment: Payment): Promise<Reconciled> {
    const { data } = await firstValueFrom(this.http.get<unknown[]>('/payments', { params: { reference: payment.id } }));
    return data.length > 0 ? found(data[0]) : absent();
  }

  private async send({ id }: Payment): Promise<unknown> {
    const { signal, held } = this.interference;
    this.interference.signal = null;
    const { data } = await firstValueFrom(this.http.post('/payments', { reference: id }, signal === null ? {} : { signal })); // prettier-ignore
    await held;
    return data;
  }
}

/** What a caller of the method got, and what a client of the application gets by the filter. */
export interface Told {
  readonly caller: string;
  readonly http: number;
}

/** One process, and a call in it. */
export class Caller {
  private readonly controller = new AbortController();

  constructor(
    private readonly app: DurableApp,
    private readonly method: 'pay' | 'payDurable',
    private readonly fate: { isDead: boolean; isStoreLost: boolean },
  ) {}

  get module(): DurableApp['module'] {
    return this.app.module;
  }

  get limits(): RateLimitService {
    return this.module.get(RateLimitService);
  }

  begin(): { readonly ended: Promise<Told> } {
    const interference = this.module.get(Interference);
    interference.signal = this.controller.signal;
    const ended = toldOf(this.module.get(Payments)[this.method]({ id: 'p' }));
    return { ended };
  }

  cancel(): void {
    this.controller.abort();
  }

  /** The method never ends, though its write may. */
  hold(): void {
    this.module.get(Interference).held = new Promise(() => undefined);
  }

  /** Nothing of the process reaches anybody from now on. */
  crash(): void {
    this.fate.isDead = true;
  }

  loseStore(): void {
    this.fate.isStoreLost = true;
  }

  findStore(): void {
    this.fate.isStoreLost = false;
  }
}

export interface BankOptions {
  readonly keys: boolean;
  readonly contract?: Partial<ProviderOptions>;
  /** Where the bank should be, and nobody listens. */
  readonly closedPort?: number;
}

/** One process after another on one file. */
export class Bank {
  readonly provider: ProviderSimulator;
  world!: DurableWorld;

  private constructor(private readonly options: BankOptions) {
    const { keys } = options;
    this.provider = new ProviderSimulator({
      routes: {
        'POST /payments': ({ body }) => ({ status: 201, body: { paid: (body as { reference: string }).reference } }),
        'GET /payments': ({ query }) => ({
          status: 200,
          body: this.provider.effects
            .filter(({ body }) => (body as { reference: string }).reference === query['reference'])
            .map(() => ({ paid: query['reference'] })),
        }),
      },
      ...(keys && { idempotency: {} }),
    });
  }

  static async open(options: BankOptions): Promise<Bank> {
    const bank = new Bank(options);
    bank.world = await DurableWorld.begin(bank.provider);
    return bank;
  }

  /** A process more. */
  async caller(method: 'pay' | 'payDurable'): Promise<Caller> {
    const { keys, contract, closedPort } = this.options;
    const fate = { isDead: false, isStoreLost: false };
    const { world } = this;
    const transport = this.provider.transport(world.clock);
    const http =
      closedPort === undefined
        ? {
            baseURL: 'http://bank.test',
            adapter: async (config: Parameters<typeof transport>[0]) => {
              if (fate.isDead) await new Promise(() => undefined);
              return transport(config);
            },
          }
        : { baseURL: `http://127.0.0.1:${closedPort}`, adapter: 'http' };
    const app = await world.start({
      providers: [Payments, Interference],
      contract: {
        name: 'bank',
        http,
        ...(keys && { idempotency: { retention: '24h' } }),
        timeouts: { attempt: '5s', total: '5m' },
        retry: { maxAttempts: 3, jitter: 'none', budget: false },
        reconcile: { settleTime: '1m' },
        ...contract,
      },
      module: { store: mortalStore(world.counted(sqliteStore({ path: world.path('operations.db') })), fate) },
    });
    return new Caller(app, method, fate);
  }

  call(caller: Caller, { stepMs = 50 } = {}): Promise<Told> {
    return this.world.go(caller.begin().ended, { stepMs });
  }

  /** State and cause of the operation, as its file says. */
  async stored(): Promise<string> {
    const reader = await sqliteStore({ path: this.world.path('operations.db') }).open({ clock: this.world.clock });
    const { operations } = await reader.list({ limit: 10 });
    await reader.close();
    return operations.map(({ state, cause }) => `${state} ${cause}`).join(', ') || 'none';
  }

  /** Requests of writes that reached the provider. */
  get sends(): number {
    return this.provider.log.filter(({ method }) => method === 'POST').length;
  }

  get keysSent(): readonly (string | undefined)[] {
    return this.provider.log.filter(({ method }) => method === 'POST').map(({ headers }) => headers['idempotency-key']);
  }

  async end(): Promise<void> {
    await this.world.end();
    await this.provider.stop();
  }
}

async function toldOf(promise: Promise<unknown>): Promise<Told> {
  try {
    await promise;
    return { caller: 'the result', http: 200 };
  } catch (error) {
    return { caller: callerOf(error), http: httpOf(error) };
  }
}

function callerOf(error: unknown): string {
  if (isSluiceError(error)) return error.code;
  const { response, code } = error as { response?: { status: number }; code?: string };
  const reason = sluiceOf(error)?.reason;
  return `${response?.status ?? code} ${reason ?? ''}`.trim();
}

function httpOf(error: unknown): number {
  let status = 500;
  const response = {
    header: () => response,
    send: () => undefined,
    status: (code: number) => {
      status = code;
      return response;
    },
  };
  const host = { getType: () => 'http', switchToHttp: () => ({ getResponse: () => response }) };
  // Other errors pass by it, to Nest's own filter.
  if (isSluiceError(error) || sluiceOf(error) !== null) {
    new RateLimitExceptionFilter().catch(error as never, host as unknown as ArgumentsHost);
  }
  return status;
}
