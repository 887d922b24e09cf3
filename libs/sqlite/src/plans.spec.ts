import { type Hold, MAX_DELIVERIES, TRANSITIONS } from '../../core/src/index.js';
import type { ClaimedRows, CommandName, Commands } from './protocol.js';
import { rowsOf } from './rows.js';
import { CLAIM, inputOf, makeStore, openRaw } from './store.fixture.js';
import type { Database } from './worker/database.js';
import { Engine } from './worker/engine.js';
import { migrate } from './worker/migrate.js';
import { MIGRATIONS } from './worker/schema.js';

const holdOf = ({ rows }: ClaimedRows): Hold => rowsOf(rows)[0]!;

/** What each text asks of the file, by SQLite's own plan. */
function plansOf(database: Database, texts: ReadonlySet<string>): readonly string[] {
  return [...texts]
    .filter((sql) => /^(SELECT|UPDATE|DELETE)/.test(sql))
    .flatMap((sql) =>
      database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => `${detail} <- ${sql}`),
    );
}

test('no command reads a table from end to end, and none sorts: a file with a million rows is as fast as an empty one', async () => {
  const made = await makeStore();
  const database = openRaw(made.path);
  migrate(database, MIGRATIONS);
  const texts = new Set<string>();
  const note =
    <Args extends readonly unknown[], Result>(ask: (sql: string, ...args: Args) => Result) =>
    (sql: string, ...args: Args): Result => {
      texts.add(sql);
      return ask.call(database, sql, ...args);
    };
  const watched = Object.assign(Object.create(database) as Database, {
    run: note(database.run),
    get: note(database.get),
    all: note(database.all),
  });
  const engine = new Engine(watched, { keepDoneMs: 1, keepDeadMs: 1, maxDeliveries: MAX_DELIVERIES, transitions: TRANSITIONS }); // prettier-ignore
  const ask = <Name extends CommandName>(name: Name, input: Commands[Name]['input'], nowMs = 1_000): Commands[Name]['reply'] => {
    const [answer] = engine.run([{ id: 1, name, nowMs, input }]);
    if (answer?.ok !== true) throw new Error(JSON.stringify(answer));
    return answer.reply as Commands[Name]['reply'];
  }; // prettier-ignore

  const bounds = { perLane: 100, perTenant: 100 };
  const make = (key: string, more = {}) => ask('create', { ...inputOf(key), payload: '1', bounds, ...more });
  for (const key of ['k1', 'k2', 'k3']) make(key, { orderingKey: 'o', reference: 'r' });
  make('later', { dueInMs: 10 });
  const taken = holdOf(ask('claim', CLAIM));
  const request = { step: 's', method: 'POST', route: null, providerKey: null, bodyHash: null, body: null, contentType: null, repeatableForMs: 0 }; // prettier-ignore
  for (let send = 0; send < 2; send += 1) ask('recordRequest', { hold: taken, request });
  ask('recordAnswer', { hold: taken, step: 's', end: { type: 'not-done', status: 429 } });
  ask('recordRequest', { hold: taken, request });
  ask('renew', { holds: [taken], leaseMs: 1 });
  ask('checkpoint', { hold: taken, position: 'x' });
  ask('recover', { limit: 10 }, 5_000);
  const doubt = holdOf(ask('claimUncertain', CLAIM, 5_000));
  ask('settle', { hold: doubt, ending: { to: 'absent', settleMs: 0, checkInMs: 0 } }, 5_000);
  const again = holdOf(ask('claimUncertain', CLAIM, 6_000));
  ask('settle', { hold: again, ending: { to: 'absent', settleMs: 0, checkInMs: 0 } }, 6_000);
  for (const hold of rowsOf(ask('claim', CLAIM, 7_000).rows)) {
    ask('settle', { hold, ending: { to: 'dead', cause: 'rejected', error: null } }, 7_000);
  }
  ask('redrive', { id: inputOf('k1').id, start: null }, 7_000);
  ask('flush', { provider: 'crm', partition: 'p', olderThanMs: 0, limit: 10, from: null }, 7_000);
  for (const query of [{}, { provider: 'crm' }, { state: 'dead' as const }]) ask('list', { ...query, limit: 10 });
  for (const name of ['requests', 'get'] as const) ask(name, { id: inputOf('k1').id });
  ask('counts', null);
  ask('saveUsed', { provider: 'crm', amounts: [{ key: 'a', value: '1' }], keepMs: 1 });
  ask('loadUsed', { provider: 'crm' });
  ask('purge', { limit: 10 }, 9_000_000);

  const plans = plansOf(database, texts);
  expect(plans.length).toBeGreaterThan(40);
  // One row of each provider, lane and state; of each used amount of the gate; of a list that came with the command.
  const small = /FROM (counts|used)|^SCAN json_each/;
  expect(plans.filter((plan) => /^SCAN|TEMP B-TREE/.test(plan) && !small.test(plan))).toEqual([]);
  database.close();
  await made.destroy();
});
