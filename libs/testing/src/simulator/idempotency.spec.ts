import { resetAfterExecuting } from './answer.js';
import { script } from './script.js';
import { invoices, world } from './world.fixture.js';

test('a key is answered as the first time, refused with another request, and forgotten after its retention', async () => {
  let made = 0;
  const { clock, simulator, http } = world({
    routes: { 'POST /v1/invoices': () => ({ status: 201, body: { id: (made += 1) } }) },
    idempotency: { retentionMs: 1_000 },
    latencyMs: 10,
  });
  const post = async (key: string, body: unknown): Promise<unknown[]> => {
    const { status, data, headers } = await http.post('/invoices', body, { headers: { 'Idempotency-Key': key } });
    return [status, data.id, headers['idempotent-replayed']];
  };
  const first = post('k', { a: 1 });
  const meanwhile = post('k', { a: 1 });
  await clock.advance(10);
  expect([await first, await meanwhile]).toEqual([
    [201, 1, undefined],
    [409, undefined, undefined],
  ]);
  expect(await clock.advanceUntil(post('k', { a: 1 }))).toEqual([201, 1, 'true']);
  expect(await clock.advanceUntil(post('k', { a: 2 }))).toEqual([422, undefined, undefined]);
  await clock.advance(999 - clock.monoMs());
  const within = post('k', { a: 1 });
  await clock.advance(1);
  const after = post('k', { a: 1 });
  await clock.advance(10);
  expect([await within, await after]).toEqual([
    [201, 1, 'true'],
    [201, 2, undefined],
  ]);
  expect(simulator.effects.map(({ result }) => result)).toEqual([{ id: 1 }, { id: 2 }]);
});

test('a write whose answer got lost is known by its key', async () => {
  const { simulator, http } = world({ routes: invoices, idempotency: {}, script: script([resetAfterExecuting]) });
  const send = () => http.post('/invoices', {}, { headers: { 'Idempotency-Key': 'k' } });
  await expect(send()).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect((await send()).status).toBe(201);
  expect(simulator.effects).toHaveLength(1);
});
