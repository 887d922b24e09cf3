import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProviderSimulator, SeededRandom } from '../../libs/testing/src/index.js';
import { type Compiled, compileSources } from '../support/compiled.js';
import type { UserSettings } from './killed-user.fixture.js';

const USER = 'test/gate/killed-user.fixture.ts';
const QUOTA = 400;

let compiled: Compiled;
let folder: string;
let provider: ProviderSimulator;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  compiled = await compileSources([USER]);
}, 60_000);

afterAll(() => compiled.remove());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-killed-users-'));
  provider = new ProviderSimulator({
    limits: [
      { kind: 'token-bucket', burst: 40, limit: 40, perMs: 1_000 },
      { kind: 'sliding-window', limit: 120, perMs: 4_000 },
      { kind: 'concurrency', limit: 8 },
      { kind: 'quota', limit: QUOTA, per: 'day' },
    ],
    latencyMs: (_request, random) => random.next() * 300,
    // Nobody tells it that a client was killed.
    afterDisconnect: 'finish',
  });
  await provider.start();
});

afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  await provider.stop();
  await rm(folder, { recursive: true, force: true });
});

function begin(processes: number): ChildProcess {
  const settings: UserSettings = { url: provider.url, path: join(folder, 'store.db'), processes, quota: QUOTA };
  const child = fork(compiled.program(USER), [JSON.stringify(settings)], { stdio: 'inherit' });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** After so many of its calls were answered; how long after is up to the machine. */
async function killAfter(child: ChildProcess, calls: number): Promise<void> {
  let sent = 0;
  await new Promise<void>((resolve) => {
    child.on('message', (word) => {
      if (word === 'sent') sent += 1;
      if (sent >= calls) resolve();
    });
    child.once('exit', () => resolve());
  });
  const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
  child.kill('SIGKILL');
  await ended;
}

const limited = (): readonly string[] =>
  provider.log.filter(({ verdict }) => verdict !== 'accepted').map((entry) => JSON.stringify(entry));

describe('law 2: killed processes and one file', () => {
  it('one after the other they never exceed a limit, and the quota of the day is used nearly to the end', async () => {
    const random = new SeededRandom(11);
    for (let i = 0; i < 5; i += 1) await killAfter(begin(1), 1 + Math.floor(random.next() * 40));
    const last = begin(1);
    await once(last, 'exit');
    expect(limited()).toEqual([]);
    expect(provider.log.length).toBeLessThanOrEqual(QUOTA);
    expect(provider.log.length).toBeGreaterThan(QUOTA / 2);
  }, 120_000);

  it('two side by side, of whom one after the other is killed and comes again, never exceed a limit together', async () => {
    const random = new SeededRandom(12);
    const line = async (): Promise<void> => {
      for (let i = 0; i < 3; i += 1) await killAfter(begin(2), 1 + Math.floor(random.next() * 20));
    };
    await Promise.all([line(), line()]);
    const last = [begin(2), begin(2)];
    await Promise.all(last.map((child) => once(child, 'exit')));
    expect(limited()).toEqual([]);
    expect(provider.log.length).toBeGreaterThan(50);
  }, 120_000);
});
