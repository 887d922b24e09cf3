import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { Durable, found, Idempotent, InjectProvider, type Reconciled, Throttled } from 'nestjs-sluice';
import { type Serializer, sqliteStore } from 'nestjs-sluice/sqlite';
import { ProviderSimulator, resetAfterExecuting } from 'nestjs-sluice/testing';
import { type DurableApp, DurableWorld } from './support/durable-world.js';

@Injectable()
class Payments {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Durable({ name: 'pay' })
  @Throttled('crm')
  @Idempotent({ key: (id: string) => id, reconcile: 'look' })
  async pay(id: string): Promise<string> {
    return (await firstValueFrom(this.http.post<{ id: string }>(`/payments/${id}`, { id }))).data.id;
  }

  async look(id: string): Promise<Reconciled> {
    await firstValueFrom(this.http.get(`/payments/${id}`));
    return found(id);
  }
}

const keyOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Writes with the first of the keys, and reads with any of them. */
function encryption(...keys: readonly [Buffer, ...Buffer[]]): Serializer {
  const read = (key: Buffer, stored: Uint8Array): Uint8Array => {
    const decipher = createDecipheriv('aes-256-gcm', key, stored.subarray(0, 12));
    decipher.setAuthTag(stored.subarray(-16));
    return Buffer.concat([decipher.update(stored.subarray(12, -16)), decipher.final()]);
  };
  return {
    encode(plain) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keys[0], iv);
      return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    decode(stored) {
      for (const key of keys.slice(0, -1)) {
        try {
          return read(key, stored);
        } catch {
          // Of another key.
        }
      }
      return read(keys.at(-1)!, stored);
    },
  };
}

const OLD = keyOf('last year');
const NEW = keyOf('this year');

let world: DurableWorld;
let provider: ProviderSimulator;

beforeEach(async () => {
  provider = new ProviderSimulator({
    routes: {
      'POST /payments/:id': (_, { params }) => ({ status: 201, body: { id: params['id'] } }),
      'GET /payments/:id': () => 200,
    },
  });
  world = await DurableWorld.begin(provider);
});
afterEach(() => world.end());

const start = (serializer: Serializer): Promise<DurableApp> =>
  world.start({
    providers: [Payments],
    contract: { timeouts: { attempt: '2s' }, reconcile: { settleTime: '10s' } },
    module: { store: world.counted(sqliteStore({ path: world.path('operations.db'), serializer })) },
  });
const sent = (): string[] => provider.log.map(({ method, path }) => `${method} ${path}`);
const statesOf = async ({ operations }: DurableApp): Promise<string[]> =>
  (await world.go(operations.list())).operations.map(({ state, cause }) => `${state} ${cause}`);

/** An application with the old key leaves one done, one to be run, and one that may have happened. */
async function leftByTheOldKey(): Promise<string[]> {
  const app = await start(encryption(OLD));
  const pay = async (id: string, delay: number): Promise<string> =>
    (await world.go(app.operations.defer(Payments, 'pay', [id], { delay }))).id;
  const ids = [await pay('done', 0)];
  await world.go(app.operations.wait(ids[0]!));
  provider.play([resetAfterExecuting]);
  ids.push(await pay('unsure', 0));
  await world.until(() => sent().length === 2);
  ids.push(await pay('later', 60_000));
  await world.stop(app.module);
  return ids;
}

test('law 8: with a key that reads the old one too all of it goes on, and what is new is written with the new one', async () => {
  const ids = await leftByTheOldKey();
  const both = await start(encryption(NEW, OLD));
  for (const id of ids) expect(await world.go(both.operations.wait(id))).toMatchObject({ state: 'done' });
  const { id } = await world.go(both.operations.defer(Payments, 'pay', ['new'], { delay: 60_000 }));
  await world.stop(both.module);
  const alone = await start(encryption(NEW));
  expect(await world.go(alone.operations.wait(id))).toMatchObject({ state: 'done', result: 'new' });
  expect(sent()).toEqual(['POST /payments/done', 'POST /payments/unsure', 'GET /payments/unsure', 'POST /payments/later', 'POST /payments/new']); // prettier-ignore
});

test('law 8: with the new key alone none is lost: what cannot be read waits for a person, and goes on with the old key', async () => {
  const ids = await leftByTheOldKey();
  const wrong = await start(encryption(NEW));
  await world.pass(120_000, 1_000);
  expect(await statesOf(wrong)).toEqual(['done completed', 'dead unreadable', 'dead unreadable']);
  expect(wrong.events.filter((event) => event.type === 'operation' && event.to === 'dead')).toHaveLength(2);
  expect(sent()).toEqual(['POST /payments/done', 'POST /payments/unsure']);
  await world.stop(wrong.module);

  const right = await start(encryption(OLD));
  for (const id of ids.slice(1)) await world.go(right.operations.redrive(id));
  for (const id of ids) expect(await world.go(right.operations.wait(id))).toMatchObject({ state: 'done' });
  // What may have happened was looked up, and not sent again.
  expect(sent().sort()).toEqual(['GET /payments/unsure', 'POST /payments/done', 'POST /payments/later', 'POST /payments/unsure']); // prettier-ignore
});
