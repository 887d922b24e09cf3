/** What a process of its own does with a store. It says what was acknowledged, each line written before it goes on. */
import { appendFileSync } from 'node:fs';
import { say } from '../../../test/support/say.js';
import { type Clock, type OperationStore, SystemClock } from '../../core/src/index.js';
import { sqliteStore } from './sqlite-store.js';
import { CLAIM, inputOf } from './store.fixture.js';

export type Job = { readonly path: string; /** How far its wall clock is ahead. */ readonly aheadMs?: number } & (
  | { readonly type: 'work'; readonly name: string; readonly log: string }
  | { readonly type: 'hold' }
  | { readonly type: 'flood'; readonly from: number }
  | { readonly type: 'ask-and-leave' | 'fill' | 'stand-still' }
);

/** Runs all there is to run, and notes each run where the other processes note theirs. */
async function work(store: OperationStore, name: string, log: string): Promise<void> {
  say('ready');
  for (;;) {
    await store.recover(100);
    const { claimed, nextInMs } = await store.claim({ ...CLAIM, owner: name });
    for (const { operation } of claimed) {
      appendFileSync(log, `${operation.id} ${operation.fence} ${name}\n`);
      const { type } = await store.settle(operation, { to: 'done', cause: 'completed', result: `"${name}"` });
      say(`${type} ${operation.id}`);
    }
    if (claimed.length === 0 && nextInMs !== 0) return;
  }
}

/** Takes one, and ends it when its parent lets it go on. */
async function hold(store: OperationStore): Promise<void> {
  say('ready');
  const { claimed } = await store.claim({ ...CLAIM, limit: 1 });
  say(`holds ${claimed[0]!.operation.fence}`);
  process.kill(process.pid, 'SIGSTOP');
  const settled = await store.settle(claimed[0]!.operation, { to: 'done', cause: 'completed', result: '"late"' });
  say(`told ${settled.type}`);
}

/** Has opened the store, and does no more. */
function standStill(): void {
  say('ready');
  process.kill(process.pid, 'SIGSTOP');
}

/** Makes and ends operations from many sides at once, until it is killed. */
async function flood(store: OperationStore, from: number): Promise<void> {
  let last = from;
  const side = async (): Promise<void> => {
    for (;;) {
      last += 1;
      const key = `k${last}`;
      say(`asks ${key}`);
      await store.create(inputOf(key));
      say(`made ${key}`);
      const { claimed } = await store.claim({ ...CLAIM, limit: 2 });
      for (const { operation } of claimed) {
        const { key: taken } = JSON.parse(operation.payload!) as { key: string };
        await store.recordRequest(operation, {
          step: 's',
          method: 'POST',
          route: null,
          providerKey: null,
          bodyHash: null,
          body: new Uint8Array(100),
          contentType: null,
          repeatableForMs: 0,
        });
        say(`sent ${taken}`);
        await store.recordAnswer(operation, 's', { type: 'answered', status: 201, answer: '{}' });
        await store.settle(operation, { to: 'done', cause: 'completed', result: JSON.stringify(taken) });
        say(`done ${taken}`);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, side));
}

/** Makes operations until one is refused, then one more. */
async function fill(store: OperationStore): Promise<void> {
  const payload = JSON.stringify('x'.repeat(20_000));
  for (let at = 0, refused = 0; refused < 2 && at < 1_000; at += 1) {
    try {
      await store.create(inputOf(`k${at}`, { payload }));
      say(`made k${at}`);
    } catch (error) {
      refused += 1;
      say(`refused ${(error as { code?: string }).code}`);
    }
  }
}

async function main(job: Job): Promise<void> {
  const system = new SystemClock();
  const clock: Clock = {
    wallMs: () => system.wallMs() + (job.aheadMs ?? 0),
    monoMs: () => system.monoMs(),
    schedule: (delayMs, fn) => system.schedule(delayMs, fn),
  };
  const store = await sqliteStore({ path: job.path }).open({ clock });
  if (job.type === 'work') await work(store, job.name, job.log);
  else if (job.type === 'hold') await hold(store);
  else if (job.type === 'fill') await fill(store);
  else if (job.type === 'stand-still') standStill();
  else if (job.type === 'flood') await flood(store, job.from);
  // It leaves without a word: an open store keeps no process.
  else return void store.create(inputOf('asked')).then(() => say('made'));
  await store.close();
}

await main(JSON.parse(process.argv[2]!) as Job);
