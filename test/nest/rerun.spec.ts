import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { type Clock, Durable, Idempotent, InjectProvider, type ProviderOptions, Throttled } from 'nestjs-sluice';
import { ProviderSimulator, resetAfterExecuting, type VirtualClock } from 'nestjs-sluice/testing';
import { type DurableApp, DurableWorld } from './support/durable-world.js';

/** What another run of the same operation does otherwise than the one before. */
let later: boolean;

@Injectable()
class Crm {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Durable({ name: 'invoice of a contact that may be there' })
  @Throttled('crm')
  @Idempotent({ key: (id: string) => id })
  async invoice(id: string): Promise<unknown> {
    const { data } = await firstValueFrom(this.http.get<{ exists: boolean }>(`/contacts/${id}`));
    if (!data.exists) await firstValueFrom(this.http.post('/contacts', { contact: id }));
    return (await firstValueFrom(this.http.post('/invoices', { invoice: id }))).data;
  }

  @Durable({ name: 'notes' })
  @Throttled('crm')
  @Idempotent({ key: (ids: string[]) => ids.join() })
  async notes(ids: string[]): Promise<void> {
    for (const id of later ? ids.toReversed() : ids) {
      await firstValueFrom(this.http.post(`/contacts/${id}/notes`, { for: id }));
    }
  }

  @Durable({ name: 'mended' })
  @Throttled('crm')
  @Idempotent({ key: (id: string) => id })
  async mended(id: string): Promise<unknown> {
    const body = later ? { invoice: id, currency: 'EUR' } : { invoice: id };
    return (await firstValueFrom(this.http.post('/mended', body))).data;
  }

  @Throttled('crm')
  @Idempotent({ key: (id: string) => id })
  async both(id: string): Promise<unknown> {
    const post = async (path: string) => (await firstValueFrom(this.http.post(path, { id }))).data;
    return Promise.all([post('/mended'), post('/invoices')]);
  }
}

let world: DurableWorld;
let provider: ProviderSimulator;
let app: DurableApp;

const contract = {
  routes: { note: 'POST /contacts/:id/notes' },
  idempotency: { header: 'Idempotency-Key', retention: '24h' },
  retry: { maxAttempts: 2 },
  timeouts: { attempt: '2s' },
} satisfies Partial<ProviderOptions>;

beforeEach(async () => {
  later = false;
  provider = new ProviderSimulator({
    idempotency: {},
    routes: {
      'GET /contacts/:id': () => ({ status: 200, body: { exists: effects().some((text) => text.startsWith('/contacts ')) } }), // prettier-ignore
      'POST /contacts': () => 201,
      'POST /mended': ({ body }) => ('currency' in (body as object) ? { status: 201, body } : 400),
      'POST /invoices': () => ({ status: 201, body: { number: 1 } }),
      'POST /contacts/:id/notes': () => 201,
    },
  });
  world = await DurableWorld.begin(provider);
});
afterEach(() => world.end());

const effects = (): string[] => provider.effects.map(({ path, body }) => `${path} ${JSON.stringify(body)}`);

async function start(more: Partial<ProviderOptions> = {}, clock: Clock = world.clock): Promise<void> {
  app = await world.start({
    providers: [Crm],
    contract: { ...contract, ...more },
    module: { clock: clock as VirtualClock },
  });
}

/** Dies of `cause` at the first try, and is driven again when the provider is well. */
async function twice(defer: () => Promise<{ id: string }>, cause = 'attempts-exhausted'): Promise<unknown> {
  const { operations } = app;
  const { id } = await world.go(defer());
  expect(await world.go(operations.wait(id))).toMatchObject({ state: 'dead', cause });
  provider.play([]);
  later = true;
  await world.go(operations.redrive(id));
  return world.go(operations.wait(id));
}

test('law 7: a run that leaves a write out does not send its key and bytes, or take its answer, for another', async () => {
  await start();
  provider.play([200, resetAfterExecuting, resetAfterExecuting]);
  expect(await twice(() => app.operations.defer(Crm, 'invoice', ['ada']))).toMatchObject({
    state: 'done',
    result: { number: 1 },
  });
  expect(effects()).toEqual(['/contacts {"contact":"ada"}', '/invoices {"invoice":"ada"}']);
});

test('law 7: a run that makes its writes in another order sends to each target what is meant for it', async () => {
  await start();
  provider.play({ next: ({ path }) => (path.includes('bob') ? { answer: { status: 503 } } : null) });
  expect(await twice(() => app.operations.defer(Crm, 'notes', [['ada', 'bob']]))).toMatchObject({ state: 'done' });
  expect(effects()).toEqual(['/contacts/ada/notes {"for":"ada"}', '/contacts/bob/notes {"for":"bob"}']);
});

test('case 133: what was refused for what it said is sent as the mended application says it', async () => {
  await start({ idempotency: 'unsupported' });
  const ended = await twice(() => app.operations.defer(Crm, 'mended', ['7']), 'rejected');
  expect(ended).toMatchObject({ state: 'done', result: { currency: 'EUR' } });
  expect(provider.log.map(({ status }) => status)).toEqual([400, 201]);
});

test('law 8: a write that is on the wire when its method fails is written down before the operation ends', async () => {
  await start({ idempotency: 'unsupported' });
  provider.play({ next: ({ path }) => (path === '/invoices' ? { slowMs: 1_000 } : null) });
  const crm = app.module.get(Crm);
  await expect(world.go(crm.both('7'))).rejects.toMatchObject({ response: { status: 400 } });
  const { operations } = await world.go(app.operations.list());
  expect(operations).toMatchObject([{ state: 'dead', cause: 'rejected' }]);
  later = true;
  await expect(world.go(crm.both('7'))).rejects.toMatchObject({ response: { status: 400 } });
  expect(provider.log.map(({ path, status }) => [path, status])).toEqual([
    ['/mended', 400],
    ['/invoices', 201],
    ['/mended', 400],
  ]);
});

test('law 7: a process that stood still until its lease was over sends nothing of what it had written down', async () => {
  let stoodMs = 0;
  const { clock } = world;
  const standing: Clock = {
    wallMs: () => clock.wallMs() + stoodMs,
    monoMs: () => clock.monoMs() + stoodMs,
    schedule: (ms, fn) => clock.schedule(ms, fn),
  };
  // Between the permit and the first byte, without a turn of the loop.
  const beforeSend = (): void => void (stoodMs += 31_000);
  await start({ idempotency: 'unsupported', timeouts: { attempt: '1m' }, beforeSend }, standing);
  const crm = app.module.get(Crm);
  const error = world.go(crm.both('7'));
  await expect(error).rejects.toMatchObject({ code: 'OPERATION_IN_PROGRESS' });
  expect(provider.log).toEqual([]);
});
