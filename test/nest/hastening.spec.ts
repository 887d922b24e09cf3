import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import {
  concurrency,
  Durable,
  type Duration,
  found,
  Idempotent,
  InjectProvider,
  RateLimitService,
  type Reconciled,
  Throttled,
} from 'nestjs-sluice';
import { sqliteStore } from 'nestjs-sluice/sqlite';
import { answer, ProviderSimulator, resetAfterExecuting } from 'nestjs-sluice/testing';
import { type DurableApp, DurableWorld } from './support/durable-world.js';
import { interceptStore } from './support/intercept-store.js';

@Injectable()
class Jobs {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Durable({ name: 'job' })
  @Throttled('crm', { partition: (account: string) => ({ account }) })
  @Idempotent({ key: (account: string, id: string) => `${account} ${id}`, reconcile: 'look' })
  async run(account: string, id: string): Promise<number> {
    return (await firstValueFrom(this.http.post(`/jobs/${account}/${id}`, {}))).status;
  }

  async look(account: string, id: string): Promise<Reconciled> {
    await firstValueFrom(this.http.get(`/jobs/${account}/${id}`));
    return found(201);
  }
}

let world: DurableWorld;
let provider: ProviderSimulator;
let app: DurableApp;
let isStoreAway: boolean;

beforeEach(async () => {
  isStoreAway = false;
  provider = new ProviderSimulator();
  world = await DurableWorld.begin(provider);
  const file = world.counted(sqliteStore({ path: world.path('operations.db') }));
  app = await world.start({
    providers: [Jobs],
    contract: {
      dimensions: ['account'],
      limits: [concurrency({ limit: 10, countedBy: ['account'] })],
      timeouts: { attempt: '2s' },
      reconcile: { settleTime: '10s' },
    },
    module: {
      store: interceptStore(file, (name, ask) =>
        isStoreAway && name === 'hastenAll' ? Promise.reject(new Error('The disk is gone.')) : ask(),
      ),
    },
  });
});
afterEach(() => world.end());

const limits = (): RateLimitService => app.module.get(RateLimitService);
const sent = (): string[] => provider.log.map(({ method, path }) => `${method} ${path}`);
const defer = async (account: string, id: string, delay: Duration = 0): Promise<string> =>
  (await world.go(app.operations.defer(Jobs, 'run', [account, id], { delay }))).id;
const stateOf = async (id: string): Promise<string> => {
  const { state, cause } = (await world.go(app.operations.get(id)))!;
  return `${state} ${cause}`;
};

describe('an operator who ends a pause brings forward what waited for it', () => {
  test('of the provider, whether an operator or the provider had begun it; what its maker put off stays where it is', async () => {
    provider.play([answer(429, { 'retry-after': '3600' })]);
    const refused = await defer('a', '1');
    const scheduled = await defer('a', 'scheduled', '2h');
    await world.until(() => sent().length === 1);
    limits().pause('crm', '6h');
    const paused = await defer('b', '2');
    await world.pass(5_000);
    expect([await stateOf(refused), await stateOf(paused)]).toEqual(['waiting rescheduled', 'waiting rescheduled']);
    limits().resume('crm');
    await world.pass(2_000);
    expect([await stateOf(refused), await stateOf(paused)]).toEqual(['done completed', 'done completed']);
    expect(await stateOf(scheduled)).toBe('waiting scheduled');
  });

  test('law 11: of one partition, and of no other', async () => {
    limits().pause('crm', '6h', { account: 'a' });
    limits().pause('crm', '6h', { account: 'b' });
    const ids = [await defer('a', '1'), await defer('b', '2')];
    await world.pass(5_000);
    const claims = world.asked.filter((name) => name === 'settle').length;
    limits().resume('crm', { account: 'a' });
    await world.pass(5_000);
    expect([await stateOf(ids[0]!), await stateOf(ids[1]!)]).toEqual(['done completed', 'waiting rescheduled']);
    expect(sent()).toEqual(['POST /jobs/a/1']);
    // The other was not even looked at.
    expect(world.asked.filter((name) => name === 'settle').length).toBe(claims + 1);
  });

  test('its lookups among it', async () => {
    provider.play([resetAfterExecuting]);
    const id = await defer('a', '1');
    await world.until(() => sent().length === 1);
    limits().pause('crm', '6h');
    await world.pass(5_000);
    expect(await stateOf(id)).toBe('uncertain rescheduled');
    limits().resume('crm');
    await world.pass(2_000);
    expect(await stateOf(id)).toBe('done found');
    expect(sent()).toEqual(['POST /jobs/a/1', 'GET /jobs/a/1']);
  });

  test('and the pause is over all the same where the store does not answer: that is told', async () => {
    limits().pause('crm', '6h');
    const id = await defer('a', '1');
    await world.pass(5_000);
    isStoreAway = true;
    limits().resume('crm');
    await world.pass(2_000);
    expect(await stateOf(id)).toBe('waiting rescheduled');
    expect(app.events).toContainEqual(expect.objectContaining({ type: 'hook-failed', hook: 'operations: hasten' }));
    isStoreAway = false;
    limits().resume('crm');
    await world.pass(2_000);
    expect(await stateOf(id)).toBe('done completed');
  });
});

describe('hasten', () => {
  test('brings one operation forward, whatever it waits for', async () => {
    const id = await defer('a', '1', '2h');
    expect(await world.go(app.operations.hasten(id))).toBe('waiting');
    expect(await world.go(app.operations.wait(id))).toMatchObject({ state: 'done' });
    expect(sent()).toEqual(['POST /jobs/a/1']);
  });

  test('is refused for what does not wait, and says what it would have to be', async () => {
    const id = await defer('a', '1');
    await world.go(app.operations.wait(id));
    const refused = world.go(app.operations.hasten(id));
    await expect(refused).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('is done and cannot be hastened; nothing was changed. It would have to be waiting or uncertain.'), // prettier-ignore
    });
    await expect(world.go(app.operations.hasten('none'))).rejects.toMatchObject({ code: 'CONFIG' });
  });
});
