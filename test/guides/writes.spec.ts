// docs/guides/writes.md: its examples, run; its table of failures, each row played; its diagram, compared with the table of moves.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import * as nestAxios from '@nestjs/axios';
import * as nestCommon from '@nestjs/common';
import { Test } from '@nestjs/testing';
import * as rxjs from 'rxjs';
import * as sluice from 'nestjs-sluice';
import * as sqlite from 'nestjs-sluice/sqlite';
import type { ProviderOptions } from 'nestjs-sluice';
import {
  answer,
  executedBut,
  hang,
  hangAfterExecuting,
  ProviderSimulator,
  reset,
  resetAfterExecuting,
  type ScriptStep,
  slow,
} from 'nestjs-sluice/testing';
import { DEAD_CAUSES, TRANSITIONS } from '../../libs/core/src/operations/states.js';
import { QuietLogger } from '../nest/support/silent.js';
import { exportsOf } from './printed.js';
import { Bank, type Caller, type Told } from './writes.fixture.js';

// Minutes pass in steps in which a file answers.
jest.setTimeout(180_000);

const guide = readFileSync('docs/guides/writes.md', 'utf8');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What is done to one call; gives what its caller heard, or null where its process was gone. */
interface Scenario {
  readonly contract?: Partial<ProviderOptions>;
  play(bank: Bank, caller: Caller): Promise<Told | null>;
}

const steps = (...play: ScriptStep[]): Scenario => ({
  async play(bank, caller) {
    bank.provider.play(play);
    return bank.call(caller);
  },
});

/** The process is gone as soon as `isSo`; another one starts `downMs` later. */
const crashing = (play: ScriptStep[], isSo: (bank: Bank) => boolean, downMs = 0): Scenario => ({
  async play(bank, caller) {
    bank.provider.play(play);
    caller.hold();
    await caller.begin();
    await bank.world.until(() => isSo(bank));
    await bank.world.pass(200);
    caller.crash();
    await bank.world.clock.advance(downMs);
    return null;
  },
});

const paused: Scenario = {
  async play(bank, caller) {
    await caller.limits.pause('bank', '10m');
    return bank.call(caller);
  },
};
const deploy = (play: ScriptStep[], isSo: (bank: Bank) => boolean): Scenario => ({
  async play(bank, caller) {
    bank.provider.play(play);
    if (play.length === 0) await caller.limits.pause('bank', '10s');
    const told = caller.begin();
    await bank.world.until(() => isSo(bank));
    await bank.world.stop(caller.module);
    return bank.world.go(told.ended);
  },
});
const cancel = (play: ScriptStep[], isSo: (bank: Bank) => boolean): Scenario => ({
  async play(bank, caller) {
    bank.provider.play(play);
    if (play.length === 0) await caller.limits.pause('bank', '10s');
    const told = caller.begin();
    await bank.world.until(() => isSo(bank));
    caller.cancel();
    const heard = await bank.world.go(told.ended, { stepMs: 10 });
    // What is on the wire ends by itself.
    await bank.world.pass(3_000);
    return heard;
  },
});
const sent = (bank: Bank): boolean => bank.sends === 1;
const always = (): boolean => true;

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'refused by us: a pause that is too long': paused,
  'the store is away': {
    async play(bank, caller) {
      caller.loseStore();
      const heard = await bank.call(caller);
      caller.findStore();
      return heard;
    },
  },
  '400': steps(answer(400)),
  '401 twice': {
    contract: { auth: { credentials: async () => ({ headers: { authorization: 'Bearer of a test' } }) } },
    ...steps(401, 401),
  },
  '429, wait 2 s': steps(answer(429, { 'retry-after': '2' })),
  '429, wait 10 min': steps(answer(429, { 'retry-after': '600' })),
  '500 once, it happened': steps(executedBut(500)),
  '500 once, it did not happen': steps(500),
  '503 three times': steps(503, 503, 503),
  'connection refused': {
    play: async (bank, caller) => bank.call(caller, { stepMs: 10 }),
  },
  'no answer in time, it happened': steps(hangAfterExecuting),
  'no answer in time, three times': steps(hang, hang, hang),
  'connection reset, it happened': steps(resetAfterExecuting),
  'connection reset, it did not happen': steps(reset),
  'crash before the send': {
    async play(bank, caller) {
      await caller.limits.pause('bank', '1m');
      return crashing([], always).play(bank, caller);
    },
  },
  'crash before the answer': crashing([hangAfterExecuting], sent),
  'crash after the answer': crashing([], sent),
  'deploy while it waits': deploy([], always),
  'deploy while it is on the wire': deploy([slow(2_000)], sent),
  'cancelled while it waits': cancel([], always),
  'cancelled on the wire': cancel([slow(2_000)], sent),
  "its key is in use (`statuses: { 409: 'key-in-use' }`)": {
    contract: { statuses: { 409: 'key-in-use' } },
    ...steps(answer(409)),
  },
  'its key is past its retention': crashing([hangAfterExecuting], sent, 25 * HOUR_MS),
};

const DURABLE = ', `@Durable`';
const plain = (cell: string): string => cell.replaceAll('`', '');

const ROW = /^\| (.+?) \| (keys|none|either) \| (\d) \| (.+?) \| (.+?) \|\s*(\d*)\s*\| (.+?), (\d) \| .+ \|$/gm;
const printed = [...guide.matchAll(ROW)];

/** Rows of the table, once for each kind of provider they are about. */
const rows = printed.flatMap(
  ([, what = '', provider = '', sends, operation = '', caller = '', http, end = '', total]) =>
    (provider === 'either' ? ['keys', 'none'] : [provider]).map((kind) => ({
      what: what.replace(DURABLE, ''),
      provider: kind,
      method: what.endsWith(DURABLE) ? ('payDurable' as const) : ('pay' as const),
      told: {
        sends: Number(sends),
        operation: plain(operation),
        caller: plain(caller),
        http: http === '' ? null : Number(http),
        end: plain(end),
        total: Number(total),
      },
    })),
);

let bank: Bank | undefined;
afterEach(async () => {
  await bank?.end();
  bank = undefined;
});

test('the table has a row for every scenario, and a scenario for every row', () => {
  expect([...new Set(rows.map(({ what }) => what))].sort()).toEqual(Object.keys(SCENARIOS).sort());
  expect(printed).toHaveLength([...guide.matchAll(/\| (?:keys|none|either) \| \d \|/g)].length);
});

test.each(rows)('$what ($provider, $method): as the guide says', async ({ what, provider, method, told }) => {
  const { contract, play } = SCENARIOS[what] as Scenario;
  const isRefused = what === 'connection refused';
  bank = await Bank.open({
    keys: provider === 'keys',
    ...(contract && { contract }),
    ...(isRefused && { closedPort: await closedPort() }),
  });
  const caller = await bank.caller(method);
  const heard = await play(bank, caller);
  const before = { sends: bank.sends, operation: await bank.stored() };
  if (heard === null || what.startsWith('deploy')) await bank.caller(method);
  await bank.world.pass(5 * MINUTE_MS, 500);
  expect({
    ...before,
    caller: heard?.caller ?? 'nothing',
    http: heard?.http ?? null,
    end: await bank.stored(),
    total: bank.sends,
  }).toEqual(told);
  // The judge is the provider: one payment at most, and one key for all that was sent.
  expect(bank.provider.effects.length).toBeLessThanOrEqual(1);
  if (provider === 'keys') expect(new Set(bank.keysSent).size).toBeLessThanOrEqual(1);
  else expect(bank.keysSent.filter((key) => key !== undefined)).toEqual([]);
});

/** Nobody listens there. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('the diagram draws every legal move with its causes, and no other', () => {
  const drawn = [...guide.matchAll(/^ {2}(\S+) --> (\w+) : (.+)$/gm)].map(([, from, to, causes]) => [from, to, causes]);
  expect(drawn).toEqual(TRANSITIONS.map(({ from, to, causes }) => [from ?? '[*]', to, causes.join(', ')]));
});

test('every cause of death is explained', () => {
  const section = guide.slice(guide.indexOf('## Dead letters'), guide.indexOf('## Backfill'));
  const causes = [...section.matchAll(/^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \| .+ \| .+ \|$/gm)].flatMap(([, named]) =>
    plain(named as string).split(', '),
  );
  expect(causes.sort()).toEqual([...DEAD_CAUSES].sort());
});

test('the examples do what they are said to do, as they are printed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-guide-'));
  let number = 0;
  const provider = new ProviderSimulator({
    routes: { 'POST /payments': () => ({ status: 201, body: { number: String((number += 1)) } }) },
    idempotency: {},
  });
  await provider.start();
  const before = { ...process.env };
  Object.assign(process.env, { BANK_URL: provider.url, STORE: join(folder, 'operations.db') });
  const program = [...guide.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) => code).join('\n');
  const packages = {
    '@nestjs/axios': nestAxios,
    '@nestjs/common': nestCommon,
    'nestjs-sluice': sluice,
    'nestjs-sluice/sqlite': sqlite,
    rxjs,
  };
  const printedModule = exportsOf(program, packages) as Record<string, new (...args: never[]) => any>;
  const { AppModule, Backfill, DeadLetters, Payments, PaymentsController } = printedModule;
  const app = await Test.createTestingModule({
    imports: [AppModule!],
    providers: [Backfill!, DeadLetters!],
    controllers: [PaymentsController!],
  })
    .setLogger(new QuietLogger())
    .compile();
  try {
    await app.init();
    const operations = app.get(sluice.Operations);
    expect(await app.get(Payments!).pay({ id: 'a', cents: 100 })).toEqual({ number: '1' });

    const { id } = await app.get(PaymentsController!).create({ id: 'b', cents: 200 });
    expect(await app.get(PaymentsController!).state(id)).toEqual({ state: 'waiting', result: undefined });

    provider.play([answer(400, {}, { error: 'unknown account' })]);
    await expect(app.get(Payments!).pay({ id: 'c', cents: 300 })).rejects.toMatchObject({ response: { status: 400 } });
    const [letter] = await app.get(DeadLetters!).show();
    expect(letter).toMatchObject({ name: 'payment', cause: 'rejected', error: { status: 400, body: '{"error":"unknown account"}' } }); // prettier-ignore
    await app.get(DeadLetters!).again(letter.id);
    expect(await operations.wait(letter.id)).toMatchObject({ state: 'done', result: { number: '2' } });

    provider.play([answer(400), answer(400)]);
    for (const each of ['d', 'e'])
      await app
        .get(Payments!)
        .pay({ id: each, cents: 1 })
        .catch(() => null);
    const [paid, seen] = await app.get(DeadLetters!).show();
    expect(await app.get(DeadLetters!).giveUp(paid.id)).toBe('discarded');
    expect(await app.get(DeadLetters!).settle(seen.id, '7')).toBe('done');
    expect(await app.get(Payments!).pay({ id: 'e', cents: 1 })).toEqual({ number: '7' });

    const filled = await operations.wait((await app.get(Backfill!).start()).id);
    expect(filled.state).toBe('done');
    const paidFor = provider.effects.map(({ body }) => (body as { reference: string }).reference);
    expect(paidFor).toEqual(['a', 'c', 'p-1']);
  } finally {
    await app.close();
    await provider.stop();
    process.env = before;
    rmSync(folder, { recursive: true });
  }
});
