import { SeededRandom, VirtualClock } from '../../testing/src/index.js';
import { startProcess } from './processes.fixture.js';
import { inputOf, makeStore, openRaw } from './store.fixture.js';

const KILLS = process.env['SLUICE_LONG'] ? 60 : 6;

test(`law 8: what was acknowledged is there after SIGKILL, what was not is there wholly or not at all (${KILLS} moments)`, async () => {
  const random = new SeededRandom(20);
  const made = await makeStore();
  const said = { asks: new Set<string>(), made: new Set<string>(), sent: new Set<string>(), done: new Set<string>() };
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = startProcess({ type: 'flood', path: made.path, from: kill * 1_000_000 });
    await child.heard('made');
    const acknowledged = child.lines.length + Math.floor(random.next() * 1_500);
    await new Promise<void>((resolve) => {
      const look = (): void => void (child.lines.length >= acknowledged && resolve());
      child.process.stdout!.on('data', look);
      // One that ends by itself says why, below.
      void child.exited.then(() => resolve());
      look();
    });
    child.process.kill('SIGKILL');
    expect((await child.exited).signal).toBe('SIGKILL');
    for (const line of child.lines) {
      const [what, key] = line.split(' ') as [keyof typeof said, string];
      expect(said[what]?.add(key)).toBeDefined();
    }
    await judge(made.path, said);
  }
  // And the work of those that were killed goes on.
  const store = await made.open({ clock: new VirtualClock({ wall: '2100-01-01T00:00:00Z' }) });
  await store.recover(10_000);
  const { counts } = await store.counts();
  expect(counts.filter(({ state }) => state === 'running')).toEqual([]);
  await store.close();
  await made.destroy();
});

/** By the file itself, without the store's code. */
async function judge(
  path: string,
  said: Record<'asks' | 'made' | 'sent' | 'done', ReadonlySet<string>>,
): Promise<void> {
  const raw = openRaw(path);
  expect(raw.all('PRAGMA integrity_check')).toEqual([expect.objectContaining({ integrity_check: 'ok' })]);
  const rows = raw.all<{ id: string; state: string; payload: string; result: string | null; requests: number; seq: number }>('SELECT * FROM operations'); // prettier-ignore
  const byId = new Map(rows.map((row) => [row.id, row]));
  const missing = [...said.made].filter((key) => !byId.has(inputOf(key).id));
  expect(missing).toEqual([]);
  const unsent = [...said.sent].filter((key) => byId.get(inputOf(key).id)!.requests !== 1);
  expect(unsent).toEqual([]);
  const undone = [...said.done].filter((key) => byId.get(inputOf(key).id)!.state !== 'done');
  expect(undone).toEqual([]);
  for (const { id, state, payload, result } of rows) {
    const { key } = JSON.parse(payload) as { key: string };
    // It was asked for, its parts belong together, and its end came with its result.
    expect([id, said.asks.has(key)]).toEqual([inputOf(key).id, true]);
    expect(result).toBe(state === 'done' ? JSON.stringify(key) : null);
  }
  const lost = raw.get<object>(
    'SELECT (SELECT count(*) FROM requests WHERE operation NOT IN (SELECT seq FROM operations)) AS orphans, ' +
      '(SELECT count(*) FROM operations AS o WHERE requests <> (SELECT count(*) FROM requests WHERE operation = o.seq)) AS short, ' +
      '(SELECT count(*) FROM operations) - (SELECT sum(count) FROM counts) AS uncounted, ' +
      '(SELECT count(*) FROM operations WHERE ended_at IS NULL) - (SELECT sum(open) FROM lines) AS unlined',
  );
  expect(lost).toMatchObject({ orphans: 0, short: 0, uncounted: 0, unlined: 0 });
  raw.close();
}
