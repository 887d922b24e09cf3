import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { concurrency, Durable, Idempotent, InjectProvider, RateLimitService, Throttled } from 'nestjs-sluice';
import { hang, ProviderSimulator, slow } from 'nestjs-sluice/testing';
import { type DurableApp, DurableWorld } from './support/durable-world.js';

@Injectable()
class Jobs {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Durable({ name: 'job' })
  @Throttled('crm')
  async run(id: string): Promise<number> {
    return (await firstValueFrom(this.http.post(`/jobs/${id}`, {}))).status;
  }

  @Idempotent({ key: (id) => id })
  @Throttled('crm')
  async call(id: string): Promise<number> {
    return (await firstValueFrom(this.http.post(`/jobs/${id}`, {}))).status;
  }

  @Throttled('crm')
  async read(id: string): Promise<number> {
    return (await firstValueFrom(this.http.get(`/jobs/${id}`))).status;
  }
}

let world: DurableWorld;
let provider: ProviderSimulator;
let app: DurableApp;

beforeEach(async () => {
  provider = new ProviderSimulator();
  world = await DurableWorld.begin(provider);
});
afterEach(() => world.end());

async function start(grace: number, workers = 8): Promise<void> {
  app = await world.start({
    providers: [Jobs],
    contract: { limits: [concurrency({ limit: 2 })], timeouts: { attempt: '3s' } },
    module: { shutdown: { grace }, operations: { concurrency: workers } },
  });
}

const defer = async (id: string): Promise<string> => (await world.go(app.operations.defer(Jobs, 'run', [id]))).id;
const sent = (): string[] => provider.log.map(({ path }) => path);

test('case 91: what runs may end within the grace time, nothing more is begun, and the next application does the rest', async () => {
  await start(5_000, 1);
  provider.play([slow(1_500)]);
  const ids = [await defer('1'), await defer('2')];
  await world.until(() => provider.log.length === 1);
  await world.stop(app.module);
  expect(sent()).toEqual(['/jobs/1']);

  await start(5_000);
  expect(await world.go(app.operations.wait(ids[0]!))).toMatchObject({ state: 'done', deliveries: 1 });
  expect(await world.go(app.operations.wait(ids[1]!))).toMatchObject({ state: 'done', deliveries: 1 });
  expect(sent()).toEqual(['/jobs/1', '/jobs/2']);
});

test('case 91: what has not ended is given back, and its delivery does not count', async () => {
  await start(1_000);
  app.module.get(RateLimitService).pause('crm', '4s');
  const id = await defer('1');
  await world.until(() => app.events.some((event) => event.type === 'operation' && event.to === 'running'));
  await world.stop(app.module);
  expect(app.events.filter((event) => event.type === 'operation').at(-1)).toMatchObject({
    from: 'running',
    to: 'queued',
    cause: 'given-back',
  });
  expect(provider.log).toHaveLength(0);

  await start(1_000);
  expect(await world.go(app.operations.wait(id))).toMatchObject({ state: 'done', deliveries: 1 });
});

test('the gate serves stored work to its end, and is drained within the same grace time', async () => {
  await start(2_000);
  provider.play([slow(1_000), slow(10)]);
  const first = await defer('1');
  const reading = app.module
    .get(Jobs)
    .read('hanging')
    .catch((error: unknown) => error);
  await world.until(() => provider.log.length === 2);
  provider.play([hang]);
  const hanging = app.module
    .get(Jobs)
    .read('for ever')
    .catch((error: unknown) => error);
  await world.until(() => provider.log.length === 3);
  const before = world.clock.monoMs();
  await world.stop(app.module);
  // The grace time, and that of the gate's last word.
  expect(world.clock.monoMs() - before).toBeLessThanOrEqual(2_000 + 2_200);
  await world.go(Promise.all([reading, hanging]));

  await start(2_000);
  expect(await world.go(app.operations.get(first))).toMatchObject({ state: 'done' });
});

test('the store is closed last, and nothing is asked of it after that', async () => {
  await start(1_000);
  await defer('1');
  const jobs = app.module.get(Jobs);
  await world.go(jobs.call('2'));
  const { operations, module } = app;
  await world.stop(module);
  expect(world.asked.at(-1)).toBe('close');
  const commands = world.asked.length;
  const late = jobs.call('3').catch((error: unknown) => error);
  expect(await world.go(late)).toMatchObject({ code: 'SHUTDOWN', provider: 'crm' });
  await world.pass(60_000, 1_000);
  expect(world.asked).toHaveLength(commands);
  await expect(world.go(operations.counts())).rejects.toMatchObject({ code: 'SHUTDOWN' });
  expect(world.asked).toHaveLength(commands);
});

test('law 8: what was deferred in the moment of the stop is refused or done after the next start, never neither', async () => {
  await start(1_000);
  const asked = ['1', '2', '3'].map((id) => app.operations.defer(Jobs, 'run', [id]).then(() => id, () => null)); // prettier-ignore
  const stopping = world.stop(app.module);
  const late = app.operations.defer(Jobs, 'run', ['late']).then(() => 'late', () => null); // prettier-ignore
  await stopping;
  const accepted = await Promise.all([...asked, late]);
  expect(accepted.slice(0, 3)).toEqual(['1', '2', '3']);
  await start(1_000);
  await world.pass(10_000);
  const ids = accepted.filter((id) => id !== null);
  expect(sent().sort()).toEqual(ids.map((id) => `/jobs/${id}`));
  const { counts } = await world.go(app.operations.counts());
  expect(counts).toEqual([expect.objectContaining({ state: 'done', count: ids.length })]);
});

test('to close twice is to close once, at the same time or one after the other', async () => {
  await start(1_000);
  await defer('1');
  const { module } = app;
  await world.stop(module);
  const commands = world.asked.length;
  await world.go(Promise.all([module.close(), module.close()]));
  await world.go(module.close());
  expect(world.asked).toHaveLength(commands);
  expect(world.asked.filter((name) => name === 'close')).toHaveLength(1);

  await start(1_000);
  const { module: second } = app;
  await world.go(Promise.all([second.close(), second.close()]));
  await world.stop(second);
  expect(world.asked.filter((name) => name === 'close')).toHaveLength(2);
});

test('a store that cannot be opened fails the start, and says why', async () => {
  const compiling = world.compile({ providers: [Jobs], file: 'no-such-folder/operations.db' });
  const error = await compiling.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({
    code: 'CONFIG',
    message: expect.stringMatching(/^RateLimitModule: the sqlite store could not be opened.*no-such-folder/),
  });
});

test('an application whose start fails closes its store', async () => {
  const module = await world.compile({ providers: [Jobs, { provide: 'again', useClass: Jobs }] });
  await expect(world.go(module.init())).rejects.toMatchObject({ code: 'CONFIG' });
  await world.quiet();
  expect(world.asked.at(-1)).toBe('close');
});
