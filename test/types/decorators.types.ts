/** Compile-only: what the decorators accept and what they refuse. `npm run types` is the test. */
import type { HttpService } from '@nestjs/axios';
import { applyDecorators, Injectable, Module } from '@nestjs/common';
import { firstValueFrom, Observable, of } from 'rxjs';
import {
  concurrency,
  currentCall,
  defineProvider,
  Idempotent,
  InjectProvider,
  isSluiceError,
  memoryGate,
  RateLimitModule,
  type RateLimitModuleOptions,
  type RateLimitOptionsFactory,
  type RateLimitService,
  Throttled,
  tokenBucket,
} from 'nestjs-sluice';

const crm = defineProvider({
  name: 'crm',
  http: { baseURL: 'https://api.crm.example' },
  dimensions: ['account', 'user'],
  limits: [
    tokenBucket({ burst: 30, limit: 30, per: '1m', countedBy: ['account'] }),
    concurrency({ limit: 8, worksAfterTimeout: '0s' }),
  ],
  lanes: { interactive: {}, background: { ceiling: { limit: 45, per: '1m' } } },
});

interface InvoiceDto {
  readonly timesheetId: string;
  readonly hours: number;
}

@Injectable()
export class CrmService {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Throttled('crm', { lane: 'interactive', tenant: (accountId) => accountId, deadline: '5s' })
  contact(accountId: string, id: string): Promise<unknown> {
    return firstValueFrom(this.http.get(`/accounts/${accountId}/contacts/${id}`));
  }

  @Throttled('crm')
  @Idempotent({ key: (dto) => dto.timesheetId })
  createInvoice(dto: InvoiceDto): Promise<unknown> {
    return firstValueFrom(this.http.post('/invoices', dto));
  }

  @Idempotent({ key: (dto: InvoiceDto) => dto.timesheetId, fingerprint: (dto: InvoiceDto) => dto.hours })
  @Throttled('crm', { partition: (dto: InvoiceDto) => ({ account: dto.timesheetId }) })
  typed(dto: InvoiceDto, note?: string): Promise<string> {
    return Promise.resolve(`${dto.timesheetId}${note ?? ''}`);
  }

  @Throttled('crm', {
    tenant: (accountId: string | undefined) => accountId ?? 'none',
    safe: true,
    units: { requests: 2 },
  })
  widerFunction(accountId: string): Promise<string> {
    return Promise.resolve(accountId);
  }

  @Throttled('crm', {
    guard: 'method',
    safe: () => true,
    answer: (result: { readonly status: number } | undefined) => result && { status: result.status },
  })
  async sdk(): Promise<{ readonly status: number }> {
    return { status: currentCall()?.attempt ?? 0 };
  }

  @Throttled('crm', { guard: 'method', answer: (last: number | undefined) => ({ status: last ?? 200 }) })
  stream(): Observable<number> {
    return of(200);
  }

  @Throttled('crm', { lane: (_id: string, urgent: boolean) => (urgent ? 'interactive' : 'background') })
  async twoArguments(id: string, urgent: boolean): Promise<string> {
    return `${id}${urgent}`;
  }

  @applyDecorators(Throttled('crm'))
  composed(): void {}

  @Throttled('crm')
  undeclared(run: () => any) {
    return run();
  }
}

@Throttled('crm', { lane: 'background' })
export class WholeClass {
  async sweep(): Promise<void> {}
}

export class WrongUses {
  // @ts-expect-error the function takes a number, the method gives a string
  @Throttled('crm', { tenant: (accountId: number) => `${accountId}` })
  wrongArgument(accountId: string): Promise<string> {
    return Promise.resolve(accountId);
  }

  // @ts-expect-error the function takes more than the method gives
  @Throttled('crm', { tenant: (_id: string, other: string) => other })
  tooMany(id: string): Promise<string> {
    return Promise.resolve(id);
  }

  // @ts-expect-error a lane is a name
  @Throttled('crm', { lane: () => 5 })
  async wrongResult(): Promise<void> {}

  // @ts-expect-error a guarded method gives a Promise or an Observable
  @Throttled('crm')
  plain(): string {
    return '';
  }

  // @ts-expect-error an operation may have to wait too
  @Idempotent()
  plainOperation(): number {
    return 0;
  }

  // @ts-expect-error only a method that is the attempt itself has an answer to read
  @Throttled('crm', { answer: () => ({ status: 200 }) })
  async answerOfRequests(): Promise<void> {}

  // @ts-expect-error not a duration
  @Throttled('crm', { deadline: '5 parsecs' })
  async wrongDuration(): Promise<void> {}

  // @ts-expect-error no such option
  @Throttled('crm', { lnae: 'interactive' })
  async misspelt(): Promise<void> {}

  // @ts-expect-error a provider is needed
  @Throttled()
  async withoutProvider(): Promise<void> {}

  // @ts-expect-error the answer reads what the method gives
  @Throttled('crm', { guard: 'method', answer: (result: number | undefined) => ({ status: result ?? 0 }) })
  wrongAnswer(): Promise<string> {
    return Promise.resolve('');
  }

  // @ts-expect-error the key is made of the method's arguments
  @Idempotent({ key: (dto: InvoiceDto) => dto.timesheetId })
  wrongKey(id: string): Promise<string> {
    return Promise.resolve(id);
  }

  // @ts-expect-error a property is no method
  @Throttled('crm')
  arrow = (): string => '';

  // @ts-expect-error an accessor is no method
  @Throttled('crm')
  get accessor(): string {
    return '';
  }
}

// @ts-expect-error an operation is one method's
@Idempotent()
export class WrongClass {}

class Options implements RateLimitOptionsFactory {
  createRateLimitOptions(): RateLimitModuleOptions {
    return { providers: [crm], gate: memoryGate() };
  }
}

@Module({
  imports: [
    RateLimitModule.forRoot({ providers: [crm], gate: memoryGate(), shutdown: { grace: '5s' } }),
    RateLimitModule.forRootAsync({
      inject: ['CONFIG'],
      useFactory: async (_config: unknown) => ({ providers: [crm] }),
      injectable: ['crm'],
    }),
    RateLimitModule.forRootAsync({ useClass: Options, isGlobal: false }),
    RateLimitModule.forFeature([crm]),
    RateLimitModule.forRoot({
      inbound: {
        tenant: (request) => request['user']?.tenantId,
        partition: (request) => ({ account: String(request.headers['x-account']) }),
        deadline: '30s',
      },
    }),
    // @ts-expect-error no such option
    RateLimitModule.forRoot({ provider: [crm] }),
  ],
})
export class AppModule {}

export async function service(limits: RateLimitService): Promise<number> {
  const length: number = await limits.run('crm', async ({ signal, number }) => `${number}${signal.aborted}`.length, {
    lane: 'background',
    tenant: 'acme',
  });
  limits.pause('crm', '1m');
  limits.resume('crm', { account: '42' });
  limits.update('crm', { mode: 'observe' });
  // @ts-expect-error a name is not changed while calls are under way
  limits.update('crm', { name: 'other' });
  limits.events.subscribe((event) => {
    if (event.type === 'attempt-ended') void event.outcome;
    // @ts-expect-error only some events are about an attempt
    void event.outcome;
  });
  await limits.drain('crm').catch((error: unknown) => {
    if (isSluiceError(error, 'SHUTDOWN')) void error.retryAt;
  });
  return length;
}
