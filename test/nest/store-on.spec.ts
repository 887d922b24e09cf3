import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { firstValueFrom } from 'rxjs';
import {
  absent,
  Durable,
  found,
  Idempotent,
  InjectProvider,
  Operations,
  type Reconciled,
  Throttled,
} from 'nestjs-sluice';
import { sqliteStore } from 'nestjs-sluice/sqlite';
import { ProviderSimulator, resetAfterExecuting, sluiceTesting, storeOn, VirtualClock } from 'nestjs-sluice/testing';
import { crmAt } from './support/crm.js';

@Injectable()
class Payments {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Durable({ name: 'payment' })
  @Throttled('crm')
  @Idempotent({ key: (id: string) => id, reconcile: 'find' })
  async pay(id: string): Promise<string> {
    return (await firstValueFrom(this.http.post<{ number: string }>('/payments', { id }))).data.number;
  }

  async find(id: string): Promise<Reconciled<string>> {
    const { data } = await firstValueFrom(this.http.get<string[]>('/payments', { params: { id } }));
    return data[0] === undefined ? absent() : found(data[0]);
  }
}

let folder: string;
let clock: VirtualClock;
let provider: ProviderSimulator;
let app: TestingModule;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-store-on-'));
  clock = new VirtualClock();
  provider = new ProviderSimulator({
    routes: {
      'POST /payments': () => ({ status: 201, body: { number: '7' } }),
      'GET /payments': () => ({ status: 200, body: provider.effects.length > 0 ? ['7'] : [] }),
    },
  });
  const crm = crmAt('', { http: { baseURL: 'http://crm.example', adapter: provider.transport(clock) } });
  const store = storeOn(clock, sqliteStore({ path: join(folder, 'operations.db') }));
  app = await Test.createTestingModule({
    imports: [sluiceTesting({ clock, store, providers: [crm] })],
    providers: [Payments],
  }).compile();
  await app.init();
});
afterEach(async () => {
  await clock.advanceUntil(app.close());
  expect(clock.pendingTimers).toBe(0);
  rmSync(folder, { recursive: true });
});

test('durable work is done on the virtual clock, whose time stands still while the store is at work', async () => {
  const { id } = await app.get(Operations).defer(Payments, 'pay', ['7'], { delay: '10m' });
  const ended = await clock.advanceUntil(app.get(Operations).wait(id, { deadline: '1h' }));
  expect(ended).toMatchObject({ state: 'done', result: '7' });
  expect(provider.log.map(({ atMs }) => Math.floor(atMs / 60_000))).toEqual([10]);
});

test('a lost answer is looked up, and the store never seems to be away', async () => {
  provider.play([resetAfterExecuting]);
  const paying = app.get(Payments).pay('7');
  const { operationId } = (await clock.advanceUntil(paying.catch((error: unknown) => error))) as {
    operationId: string;
  };
  expect(await clock.advanceUntil(app.get(Operations).wait(operationId))).toMatchObject({
    cause: 'found',
    result: '7',
  });
  expect(provider.effects).toHaveLength(1);
});
