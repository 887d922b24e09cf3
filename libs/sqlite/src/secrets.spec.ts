import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { OperationStore, RequestRecord } from '../../core/src/index.js';
import { VirtualClock } from '../../testing/src/index.js';
import type { Serializer } from './options.js';
import { CLAIM, inputOf, makeStore, withStore } from './store.fixture.js';

const SECRETS = [
  'Zm9vOnMzY3IzdA1234567890',
  's3cr3t-cookie-0123456789',
  'pa55w0rd-0123456789',
  'sk_live_0123456789abcdef',
];
const [BEARER, COOKIE, PASSWORD, KEY] = SECRETS as [string, string, string, string];

const REQUEST: RequestRecord = {
  step: 'POST /invoices 0',
  method: 'POST',
  route: 'invoices',
  providerKey: 'key-1',
  bodyHash: 'h1',
  body: Buffer.from('{"amount":"body-of-request"}'),
  contentType: 'application/json',
  repeatableForMs: null,
};

/** All bytes of the store's files. The log is read while it is there, the data once nobody holds a lock on them. */
async function bytesAfter(path: string, store: OperationStore): Promise<string> {
  const log = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`).toString('latin1') : '';
  await store.close();
  return log + readFileSync(path).toString('latin1');
}

async function begin(store: OperationStore, key: string) {
  const created = await store.create(inputOf(key, { start: { owner: 'w', leaseMs: 60_000 } }));
  return { id: inputOf(key).id, fence: (created as { fence: number }).fence };
}

test('law 12: no credential that an error carries is in the raw file or its log', async () => {
  const made = await makeStore();
  const store = await made.open({ clock: new VirtualClock() });
  const error = {
    name: 'AxiosError',
    message: `Request with Authorization: Bearer ${BEARER} failed`,
    code: 'ERR_BAD_REQUEST',
    status: 401,
    body: JSON.stringify({ echo: { cookie: `sid=${COOKIE}`, password: PASSWORD }, key: KEY, reason: 'kept words' }),
  };
  await store.settle(await begin(store, 'dead'), { to: 'dead', cause: 'rejected', error });
  await store.settle(await begin(store, 'retry'), { to: 'waiting', cause: 'retry', dueInMs: 0, error });
  await store.settle(await begin(store, 'doubt'), { to: 'uncertain', cause: 'outcome-unknown', checkInMs: 0, error });
  await store.discard(inputOf('retry').id, `sent by hand, password=${PASSWORD} Bearer ${BEARER}`);
  await store.resolve(inputOf('doubt').id, null, `Cookie: sid=${COOKIE}`);
  const bytes = await bytesAfter(made.path, store);
  expect(bytes).toContain('kept words');
  for (const secret of SECRETS) expect(bytes).not.toContain(secret);
  await made.destroy();
});

test('no error of the store names a value that was stored', async () => {
  await withStore(async ({ store }) => {
    const hold = await begin(store, 'k');
    const errors = await Promise.all([
      store.recordAnswer(hold, PASSWORD, { type: 'answered', status: 200, answer: PASSWORD }).catch(String),
      store.settle(hold, { to: 'done', cause: 'found', result: PASSWORD }).catch(String),
      store.create({ ...inputOf('x'), payload: PASSWORD, name: null as never }).catch(String),
    ]);
    for (const error of errors) expect([error, String(error).includes(PASSWORD)]).toEqual([expect.stringContaining('SqliteStoreError'), false]); // prettier-ignore
  });
});

/** AES-256-GCM, as an application would write it. */
function encryption(key: Buffer): Serializer {
  return {
    encode(plain) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    decode(stored) {
      const decipher = createDecipheriv('aes-256-gcm', key, stored.subarray(0, 12));
      decipher.setAuthTag(stored.subarray(-16));
      return Buffer.concat([decipher.update(stored.subarray(12, -16)), decipher.final()]);
    },
  };
}

describe('a serializer', () => {
  const key = randomBytes(32);

  it('sees all that is stored of arguments, positions, requests, answers, results and errors, and gives it back', async () => {
    const made = await makeStore({ serializer: encryption(key) });
    const store = await made.open({ clock: new VirtualClock() });
    await store.create(inputOf('k', { payload: '"words of arguments"' }));
    const { claimed } = await store.claim(CLAIM);
    const hold = claimed[0]!.operation;
    await store.recordRequest(hold, REQUEST);
    await store.recordAnswer(hold, REQUEST.step, { type: 'answered', status: 201, answer: 'words of the answer' });
    await store.checkpoint(hold, 'words of the position');
    const error = { name: 'E', message: 'words of the error', code: null, status: null, body: null };
    await store.settle(hold, { to: 'waiting', cause: 'retry', dueInMs: 0, error });
    const again = (await store.claim(CLAIM)).claimed[0]!;
    expect([again.operation.payload, again.operation.checkpoint, again.operation.error?.message]).toEqual(['"words of arguments"', 'words of the position', 'words of the error']); // prettier-ignore
    expect([Buffer.from(again.requests[0]!.body!).toString(), again.requests[0]!.answer]).toEqual(['{"amount":"body-of-request"}', 'words of the answer']); // prettier-ignore
    await store.settle(again.operation, { to: 'done', cause: 'completed', result: 'words of the result' });
    expect((await store.get(hold.id))?.result).toBe('words of the result');
    expect(await bytesAfter(made.path, store)).not.toMatch(/words of|body-of/);
    await made.destroy();
  });

  it('with another key: what is claimed is dead as unreadable and nothing is lost; with the right one it runs', async () => {
    const made = await makeStore({ serializer: encryption(key) });
    const clock = new VirtualClock();
    const first = await made.open({ clock });
    for (const name of ['k1', 'k2']) await first.create(inputOf(name));
    await first.close();

    const other = await made.reopen({ serializer: encryption(randomBytes(32)) }, clock);
    const reply = await other.claim(CLAIM);
    expect(reply.claimed).toEqual([]);
    expect(reply.moved.map(({ to, cause }) => [to, cause])).toEqual([['dead', 'unreadable'], ['dead', 'unreadable']]); // prettier-ignore
    await expect(other.get(inputOf('k1').id)).rejects.toMatchObject({ code: 'UNREADABLE', message: expect.stringContaining('another serializer') as unknown }); // prettier-ignore
    expect((await other.list({ state: 'dead', limit: 10 })).operations).toHaveLength(2);
    await other.close();

    const right = await made.reopen({ serializer: encryption(key) }, clock);
    for (const name of ['k1', 'k2']) expect((await right.redrive(inputOf(name).id)).type).toBe('moved');
    expect((await right.claim(CLAIM)).claimed.map(({ operation }) => operation.payload)).toEqual(['{"key":"k1"}', '{"key":"k2"}']); // prettier-ignore
    await right.close();
    await made.destroy();
  });

  it('that comes later reads what was stored before it', async () => {
    const made = await makeStore();
    const clock = new VirtualClock();
    const plain = await made.open({ clock });
    await plain.create(inputOf('k'));
    await plain.close();
    const store = await made.reopen({ serializer: encryption(key) }, clock);
    expect((await store.get(inputOf('k').id))?.payload).toBe('{"key":"k"}');
    await store.close();
    await made.destroy();
  });

  it('that fails stops what was not begun, and never what has happened', async () => {
    let works = true;
    const encode = (plain: Uint8Array): Uint8Array => {
      if (!works) throw new Error('key service is away');
      return plain;
    };
    await withStore(
      async ({ store }) => {
        const hold = await begin(store, 'k');
        works = false;
        await expect(store.create(inputOf('new'))).rejects.toThrow('key service is away');
        await expect(store.recordRequest(hold, REQUEST)).rejects.toThrow('key service is away');
        expect(await store.settle(hold, { to: 'done', cause: 'completed', result: '7' })).toMatchObject({ state: 'done', kept: false }); // prettier-ignore
        works = true;
        expect(await store.get(hold.id)).toMatchObject({ state: 'done', result: null });
        expect(await store.get(inputOf('new').id)).toBeNull();
      },
      { serializer: { encode, decode: (stored) => stored } },
    );
  });

  it('that gives no bytes is an error with its name', async () => {
    await withStore(
      async ({ store }) => {
        await expect(store.create(inputOf('k'))).rejects.toMatchObject({ code: 'CONFIG', message: expect.stringContaining('serializer: { encode }') as unknown }); // prettier-ignore
      },
      { serializer: { encode: () => 'text' as never, decode: (stored) => stored } },
    );
  });
});
