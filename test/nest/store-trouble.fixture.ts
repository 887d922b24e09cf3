/** An application in a process of its own, that pays while its store gets into trouble. It says what its callers were told, line by line. */
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import workerThreads, { type Worker } from 'node:worker_threads';
import { HttpService } from '@nestjs/axios';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  absent,
  concurrency,
  defineProvider,
  found,
  Idempotent,
  InjectProvider,
  Operations,
  RateLimitModule,
  type Reconciled,
  type SluiceError,
  Throttled,
} from 'nestjs-sluice';
import { sqliteStore } from 'nestjs-sluice/sqlite';
import { firstValueFrom } from 'rxjs';
import { say } from '../support/say.js';

export interface Trouble {
  readonly url: string;
  readonly path: string;
  /** Pays until the disk has refused it so often. */
  readonly untilRefused?: number;
  /** Pays these. */
  readonly pays?: readonly string[];
  /** Pays `slow`, and ends the store's thread when its parent says a word; then it pays `after`. */
  readonly losesThread?: boolean;
}

interface Payment {
  readonly id: string;
  readonly memo: string;
}

const settings = JSON.parse(process.argv[2]!) as Trouble;
const threads = new Set<Worker>();

@Injectable()
class Payments {
  constructor(@InjectProvider('bank') private readonly http: HttpService) {}

  @Throttled('bank')
  @Idempotent({ key: ({ id }: Payment) => id, reconcile: 'find', onUnknown: 'wait' })
  async pay(payment: Payment): Promise<string> {
    return (await firstValueFrom(this.http.post<{ id: string }>(`/payments/${payment.id}`, payment))).data.id;
  }

  async find({ id }: Payment): Promise<Reconciled<string>> {
    const { status } = await firstValueFrom(this.http.get(`/payments/${id}`, { validateStatus: () => true }));
    return status === 200 ? found(id) : absent();
  }
}

const bank = defineProvider({
  name: 'bank',
  http: { baseURL: settings.url },
  limits: [concurrency({ limit: 8 })],
  reconcile: { settleTime: '500ms' },
});

@Module({
  imports: [
    RateLimitModule.forRoot({
      providers: [bank],
      store: sqliteStore({ path: settings.path }),
      operations: { poll: '50ms', lease: '3s' },
    }),
  ],
  providers: [Payments],
})
class App {}

/** Twenty kilobytes fill a small disk soon. */
const memo = 'x'.repeat(20_000);

async function run(): Promise<void> {
  keepThreads();
  const app = await NestFactory.createApplicationContext(App, { logger: ['error'] });
  const payments = app.get(Payments);
  const pay = async (id: string): Promise<boolean> => {
    try {
      say(`got ${id} ${await payments.pay({ id, memo })}`);
      return true;
    } catch (error) {
      const { code, cause } = error as SluiceError & { readonly cause?: { readonly code?: string } };
      say(`refused ${id} ${code} ${cause?.code}`);
      return false;
    }
  };
  for (const id of settings.pays ?? []) await pay(id);
  for (let at = 0, refused = 0; refused < (settings.untilRefused ?? 0); at += 1)
    if (!(await pay(`k${at}`))) refused += 1;
  if (settings.losesThread) {
    const slow = pay('slow');
    await once(process.stdin, 'data');
    process.stdin.destroy();
    await Promise.all([...threads].map((thread) => thread.terminate()));
    await slow;
    await pay('after');
  } else if (settings.pays !== undefined) {
    await over(app.get(Operations));
  }
  await app.close();
  say('closed');
}

/** Ends of what earlier processes left. */
async function over(operations: Operations): Promise<void> {
  for (let open = 1; open > 0;) {
    const { counts } = await operations.counts();
    open = counts.reduce((sum, { state, count }) => (state === 'done' ? sum : sum + count), 0);
    await new Promise((resolve) => void setTimeout(resolve, 50));
  }
}

function keepThreads(): void {
  const { Worker: Original } = workerThreads;
  workerThreads.Worker = class extends Original {
    constructor(...args: ConstructorParameters<typeof Original>) {
      super(...args);
      threads.add(this);
    }
  };
  syncBuiltinESMExports();
}

// As a listening server does: no timer of the library keeps a process.
const alive = setInterval(() => undefined, 1_000);
await run();
clearInterval(alive);
