import {
  answer,
  drip,
  executedBut,
  hang,
  hangAfterExecuting,
  late,
  reset,
  resetAfterExecuting,
  slow,
} from './answer.js';
import { forever, script } from './script.js';
import { invoices, world } from './world.fixture.js';

test('a script says what happens to the next requests, and then the routes answer again', async () => {
  const { clock, simulator, http } = world({
    routes: invoices,
    script: script([
      answer(429, { 'Retry-After': 'soon' }),
      503,
      reset,
      resetAfterExecuting,
      executedBut(502),
      slow(500),
      late(500),
      200,
    ]),
  });
  const seen: unknown[] = [];
  for (let i = 0; i < 9; i += 1) {
    const sent = http.post('/invoices', { i }).then(
      ({ status, headers }) => [status, headers['retry-after']],
      (error: { code: string }) => error.code,
    );
    await clock.advance(250);
    if (i === 5 || i === 6) seen.push(`effects after 250: ${simulator.effects.length}`);
    await clock.advance(250);
    seen.push(await sent);
  }
  expect(seen).toEqual([
    [429, 'soon'],
    [503, undefined],
    'ECONNRESET',
    'ECONNRESET',
    [502, undefined],
    'effects after 250: 3',
    [201, undefined],
    'effects after 250: 3',
    [201, undefined],
    [201, undefined],
    [201, undefined],
  ]);
  expect(simulator.effects.map(({ body }) => (body as { i: number }).i)).toEqual([3, 4, 5, 6, 7, 8]);
});

test('a hanging request ends when its client gives up, and leaves nothing behind', async () => {
  const { clock, simulator, http } = world({ routes: invoices, script: script([hang, hangAfterExecuting]) });
  for (let i = 0; i < 2; i += 1) {
    const leaving = new AbortController();
    const sent = http.post('/invoices', {}, { signal: leaving.signal }).catch((error: { code: string }) => error.code);
    await clock.advance(3_600_000);
    leaving.abort();
    expect(await sent).toBe('ERR_CANCELED');
    await clock.advance(0);
  }
  expect(simulator.log.map(({ executed, end }) => [executed, end])).toEqual([
    [false, 'client-left'],
    [true, 'client-left'],
  ]);
  expect([simulator.effects.length, clock.pendingTimers]).toEqual([1, 0]);
});

test('forever repeats one step until another script is played', async () => {
  const { simulator, http } = world({ script: forever(503) });
  expect([(await http.get('/')).status, (await http.get('/')).status]).toEqual([503, 503]);
  simulator.play([]);
  expect((await http.get('/')).status).toBe(200);
});

test('a body in pieces comes as text, or as a stream with its silences', async () => {
  const parts = [
    { afterMs: 0, text: 'Hello' },
    { afterMs: 500, text: ' World' },
  ];
  const { clock, http } = world({ script: script([drip(200, parts), drip(200, parts)]) });
  expect((await clock.advanceUntil(http.get('/'))).data).toBe('Hello World');
  const { data } = await http.get('/', { responseType: 'stream' });
  const pieces: [number, string][] = [];
  data.on('data', (chunk: Buffer) => pieces.push([clock.monoMs(), String(chunk)]));
  await clock.advance(500);
  expect(pieces).toEqual([
    [500, 'Hello'],
    [1_000, ' World'],
  ]);
});

test.each([answer(400), 503, null, undefined, { next: 503 }])(
  'one step that is no list is refused: played in silence it would make tests that cannot fail',
  (step) => {
    const { simulator } = world();
    expect(() => simulator.play(step as never)).toThrow(/play\(\) takes a list of steps.*play\(\[answer\(400\)\]\)/);
  },
);
