import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { ProviderSimulator } from '../../libs/testing/src/index.js';
import { type Compiled, compileSources } from '../support/compiled.js';
import { forMs, until } from './fleet-world.fixture.js';
import type { UserSettings } from './user.fixture.js';

const USER = 'test/redis/user.fixture.ts';
const BURST = 30;
const PER_SECOND = 40;
const PERMITS = 6;
const ATTEMPT_MS = 1_000;

let compiled: Compiled;
let provider: ProviderSimulator;
let worlds = 0;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  compiled = await compileSources([USER]);
}, 60_000);

afterAll(() => compiled.remove());

beforeEach(async () => {
  provider = new ProviderSimulator({
    limits: [
      { kind: 'token-bucket', burst: BURST, limit: PER_SECOND, perMs: 1_000 },
      { kind: 'concurrency', limit: PERMITS },
    ],
    latencyMs: (_request, random) => random.next() * 100,
    // Nobody tells it that a client was killed.
    afterDisconnect: 'finish',
  });
  await provider.start();
  worlds += 1;
});

afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  await provider.stop();
});

class User {
  readonly child: ChildProcess;
  sent = 0;

  constructor(overrides: Partial<UserSettings> = {}) {
    const settings: UserSettings = {
      url: provider.url,
      redis: process.env['REDIS_URL'] as string,
      prefix: `users-${process.pid}-${worlds}`,
      burst: BURST,
      perSecond: PER_SECOND,
      permits: PERMITS,
      attemptMs: ATTEMPT_MS,
      quota: 100_000,
      ...overrides,
    };
    this.child = fork(compiled.program(USER), [JSON.stringify(settings)], { stdio: 'inherit' });
    running.add(this.child);
    this.child.once('exit', () => running.delete(this.child));
    this.child.on('message', () => (this.sent += 1));
  }

  async end(): Promise<void> {
    const over = once(this.child, 'exit');
    this.child.send('end');
    await over;
  }
}

const refused = (): readonly string[] =>
  provider.log.filter(({ verdict }) => verdict !== 'accepted').map((entry) => JSON.stringify(entry));

it('a process that is frozen for 3 s with grants in hand sends none of them late, and the others go on meanwhile', async () => {
  const [frozen, other] = [new User(), new User()];
  await until(() => frozen.sent > 10 && other.sent > 10, 30_000);
  for (let round = 0; round < 2; round += 1) {
    frozen.child.kill('SIGSTOP');
    const before = other.sent;
    await forMs(3_000);
    expect(other.sent - before).toBeGreaterThan(PER_SECOND);
    const sent = frozen.sent;
    frozen.child.kill('SIGCONT');
    await until(() => frozen.sent > sent + 10, 20_000);
  }
  await Promise.all([frozen.end(), other.end()]);
  expect(refused()).toEqual([]);
}, 120_000);

it("case 65: a killed process' permits come back when their lease is over, and not before", async () => {
  const [killed, other] = [new User(), new User()];
  await until(() => killed.sent > 10 && other.sent > 10, 30_000);
  killed.child.kill('SIGKILL');
  await forMs(ATTEMPT_MS + 1_500);
  const before = other.sent;
  await forMs(2_000);
  // Alone it has all of the rate again.
  expect(other.sent - before).toBeGreaterThan(PER_SECOND * 2 * 0.6);
  await other.end();
  expect(refused()).toEqual([]);
}, 120_000);

it('a quota of the day is kept by Redis, whatever becomes of the processes', async () => {
  const quota = 60;
  for (let life = 0; life < 2; life += 1) {
    const user = new User({ quota });
    const began = provider.log.length;
    await until(() => provider.log.length >= began + 20, 30_000);
    user.child.kill('SIGKILL');
    await once(user.child, 'exit');
  }
  const last = [new User({ quota }), new User({ quota })];
  // What the killed had in hand, at most as many as there are permits, is lost to the day.
  await until(() => provider.log.length >= quota - 2 * (PERMITS + 1), 30_000);
  await forMs(2_000);
  for (const { child } of last) child.kill('SIGKILL');
  expect(provider.log.length).toBeLessThanOrEqual(quota);
}, 120_000);
