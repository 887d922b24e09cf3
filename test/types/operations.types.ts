/** Compile-only: stored operations, what is accepted and what is refused. `npm run types` is the test. */
import type { HttpService } from '@nestjs/axios';
import { Injectable, Module } from '@nestjs/common';
import { firstValueFrom, type Observable, of } from 'rxjs';
import {
  absent,
  defineProvider,
  Durable,
  found,
  Idempotent,
  inconclusive,
  InjectProvider,
  type OperationDetails,
  type Operations,
  quota,
  RateLimitModule,
  type Reconciled,
  Throttled,
} from 'nestjs-sluice';
import { sqliteStore } from 'nestjs-sluice/sqlite';
import { sluiceTesting } from 'nestjs-sluice/testing';

const crm = defineProvider({
  name: 'crm',
  limits: [quota({ limit: 40_000, per: 'day', timeZone: 'UTC' })],
  idempotency: { header: 'Idempotency-Key', methods: ['POST'], retention: '24h' },
  reconcile: { settleTime: '1m' },
});

interface InvoiceDto {
  readonly timesheetId: string;
}

interface Invoice {
  readonly number: number;
}

@Injectable()
export class CrmService {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Throttled('crm')
  @Idempotent({ key: (dto) => dto.timesheetId, reconcile: 'findByReference' })
  async createInvoice(dto: InvoiceDto): Promise<Invoice> {
    return (await firstValueFrom(this.http.post<Invoice>('/invoices', dto))).data;
  }

  @Durable({ name: 'send invoice', orderingKey: (dto) => dto.timesheetId })
  @Throttled('crm')
  @Idempotent({
    key: (dto) => dto.timesheetId,
    reconcile: 'findByReference',
    reference: (dto) => dto.timesheetId,
    onUnknown: 'wait',
  })
  async send(dto: InvoiceDto, copies?: number): Promise<Invoice> {
    return { number: dto.timesheetId.length + (copies ?? 0) };
  }

  @Throttled('crm')
  @Durable({ name: 'stream' })
  stream(id: string): Observable<string> {
    return of(id);
  }

  async findByReference(dto: InvoiceDto): Promise<Reconciled<Invoice>> {
    const { data } = await firstValueFrom(this.http.get<Invoice[]>('/invoices', { params: { ref: dto.timesheetId } }));
    const [invoice, other] = data;
    if (other !== undefined) return inconclusive();
    return invoice === undefined ? absent() : found(invoice);
  }

  plain(): string {
    return '';
  }

  // A class may defer to itself, without saying what that gives.
  later(operations: Operations) {
    return operations.defer(CrmService, 'send', [{ timesheetId: '7' }]);
  }
}

export class WrongUses {
  // @ts-expect-error stored work needs a name
  @Durable()
  async nameless(): Promise<void> {}

  // @ts-expect-error stored work needs a name
  @Durable({})
  async withoutName(): Promise<void> {}

  // @ts-expect-error the function takes a number, the method gives a string
  @Durable({ name: 'a', orderingKey: (account: number) => account })
  async wrongArgument(_account: string): Promise<void> {}

  // @ts-expect-error no such option
  @Durable({ name: 'a', lane: 'interactive' })
  async misspelt(): Promise<void> {}

  // @ts-expect-error a durable method gives a Promise or an Observable
  @Durable({ name: 'a' })
  plain(): string {
    return '';
  }

  // @ts-expect-error neither of the two
  @Idempotent({ reconcile: 'look', onUnknown: 'retry' })
  async wrongWayOut(): Promise<void> {}

  // @ts-expect-error the reference is made of the method's arguments
  @Idempotent({ reconcile: 'look', reference: (dto: InvoiceDto) => dto.timesheetId })
  async wrongReference(_id: string): Promise<void> {}
}

// @ts-expect-error stored work is one method's
@Durable({ name: 'class' })
export class WrongClass {}

@Module({
  imports: [
    RateLimitModule.forRoot({
      providers: [crm],
      store: sqliteStore({ path: 'operations.db' }),
      operations: { concurrency: 4, poll: '1s', lease: '30s', maxHold: '5s', maxChecks: 10 },
    }),
    RateLimitModule.forRootAsync({
      useFactory: () => ({ providers: [crm], store: sqliteStore({ path: 'operations.db' }) }),
    }),
    sluiceTesting({ providers: [crm], store: sqliteStore({ path: 'operations.db' }) }),
    // @ts-expect-error no such option
    RateLimitModule.forRoot({ providers: [crm], operations: { workers: 4 } }),
  ],
})
export class AppModule {}

export async function operate(operations: Operations): Promise<OperationDetails | null> {
  const { id, created } = await operations.defer(CrmService, 'send', [{ timesheetId: '7' }]);
  await operations.defer(CrmService, 'send', [{ timesheetId: '7' }, 2], {
    key: '7',
    lane: 'background',
    tenant: 'acme',
    partition: { account: 'acme' },
    orderingKey: 'acme',
    reference: '7',
    delay: '10m',
  });
  await operations.defer(CrmService, 'stream', ['7']);
  // @ts-expect-error no such method
  await operations.defer(CrmService, 'sned', [{ timesheetId: '7' }]);
  // @ts-expect-error a method that gives neither a Promise nor an Observable cannot be decorated
  await operations.defer(CrmService, 'plain', []);
  // @ts-expect-error not the method's arguments
  await operations.defer(CrmService, 'send', ['7']);
  // @ts-expect-error an argument is missing
  await operations.defer(CrmService, 'send', []);
  // @ts-expect-error no such option
  await operations.defer(CrmService, 'send', [{ timesheetId: '7' }], { priority: 1 });

  for (const { state, error, dueAt } of (await operations.list({ provider: 'crm', state: 'dead' })).operations) {
    const told: [string, string | undefined, Date | null] = [state, error?.message, dueAt];
    void told;
  }
  await operations.redrive(id);
  await operations.discard(id, 'cancelled by the customer');
  await operations.resolve(id, { number: 7 }, 'found in the list of invoices');
  await operations.backfill<Invoice>({
    batchSize: 100,
    next: async (position) => ({ items: [], position: position ?? '' }),
    handle: async ({ number }) => void number,
  });
  const { counts, ages } = await operations.counts();
  void [counts.map(({ count }) => count), ages.map(({ oldestAtMs }) => oldestAtMs)];
  return created ? operations.wait(id, { deadline: '1m' }) : operations.get(id, { args: true });
}
