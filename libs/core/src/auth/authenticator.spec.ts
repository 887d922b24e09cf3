import type { Credentials } from '../contract/auth-options.js';
import { Harness } from '../pipeline/harness.fixture.js';
import { answered } from '../pipeline/scripted-provider.fixture.js';

/** A token endpoint whose refresh token is good for one use, and a provider that knows the newest access token only. */
class TokenServer {
  refreshes = 0;
  fetches = 0;
  valid = 1;
  /** What the next refreshes do instead. */
  fail: (() => Error) | null = null;
  /** New tokens are refused as well. */
  revoked = false;
  readonly seen: string[] = [];

  constructor(private readonly delay: () => Promise<void> = () => Promise.resolve()) {}

  credentials = (): Credentials => {
    this.fetches += 1;
    return { headers: { authorization: `token-1` } };
  };

  refresh = async (): Promise<Credentials> => {
    this.refreshes += 1;
    await this.delay();
    if (this.fail !== null) throw this.fail();
    this.valid += 1;
    return { headers: { authorization: `token-${this.valid}` } };
  };

  answer = async (headers: Readonly<Record<string, string>>) => {
    this.seen.push(headers['authorization'] ?? 'none');
    await Promise.resolve();
    const good = !this.revoked && headers['authorization'] === `token-${this.valid}`;
    return answered({ status: good ? 200 : 401 });
  };
}

function setUp(server: TokenServer): Harness {
  return new Harness({ options: { auth: { credentials: server.credentials, refresh: server.refresh } } });
}

async function once(harness: Harness, server: TokenServer): Promise<string> {
  const call = harness.call();
  for (;;) {
    const end = await call.attempt(({ headers }) => server.answer(headers));
    if (end.decision === 'deliver') return `${end.result.status}${end.reason === null ? '' : ` ${end.reason}`}`;
    if (end.decision === 'raise') return (end.error as { code: string }).code;
    await call.backoff();
  }
}

test('case 36: twenty calls with an expired token share one refresh and go again once each', async () => {
  const harness = new Harness();
  const server = new TokenServer(() => new Promise((resolve) => void harness.clock.schedule(200, resolve)));
  const crm = new Harness({ options: { auth: { credentials: server.credentials, refresh: server.refresh } } });
  server.valid = 2;
  const calls = Array.from({ length: 20 }, () => once(crm, server));
  await harness.clock.advance(200);
  expect(await Promise.all(calls)).toEqual(Array(20).fill('200'));
  expect([server.refreshes, server.fetches, server.seen.length]).toEqual([1, 1, 40]);
  expect(crm.double.asks.map(({ kind }) => kind)).toEqual([...Array(20).fill('first'), ...Array(20).fill('repeat')]);
  expect(crm.ofType('auth')).toMatchObject([{ state: 'refreshed' }]);
  await crm.expectNothingLeft();
});

test('law 6: who waits for a refresh holds no permit', async () => {
  const harness = new Harness();
  const server = new TokenServer(() => new Promise((resolve) => void harness.clock.schedule(200, resolve)));
  const crm = setUp(server);
  server.valid = 2;
  const call = once(crm, server);
  await harness.clock.advance(100);
  expect([server.refreshes, crm.double.open]).toEqual([1, 0]);
  await harness.clock.advance(100);
  expect(await call).toBe('200');
  await crm.expectNothingLeft();
});

test('a second 401 stops the partition: calls are refused unsent until one refresh a minute ends it', async () => {
  const server = new TokenServer();
  const crm = setUp(server);
  server.revoked = true;
  expect(await once(crm, server)).toBe('401 auth');
  expect(server.seen).toHaveLength(2);
  expect(crm.ofType('auth').map(({ state }) => state)).toEqual(['refreshed', 'failed']);
  expect([await once(crm, server), await once(crm, server)]).toEqual(['AUTH_FAILED', 'AUTH_FAILED']);
  expect([server.seen.length, server.refreshes]).toEqual([2, 1]);
  await crm.clock.advance(60_000);
  expect(await once(crm, server)).toBe('401 auth');
  expect([server.seen.length, server.refreshes]).toEqual([3, 2]);
  expect(await once(crm, server)).toBe('AUTH_FAILED');
  server.revoked = false;
  await crm.clock.advance(60_000);
  expect([await once(crm, server), await once(crm, server)]).toEqual(['200', '200']);
  expect(server.refreshes).toBe(3);
  await crm.expectNothingLeft();
});

test('case 36: a refresh that fails by the network is no log-out; one that is refused is', async () => {
  const server = new TokenServer();
  const crm = setUp(server);
  server.valid = 2;
  server.fail = () => Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  expect(await once(crm, server)).toBe('401 auth');
  expect(crm.ofType('auth')).toEqual([]);
  server.fail = null;
  expect(await once(crm, server)).toBe('200');
  server.valid = 9;
  server.fail = () => Object.assign(new Error('invalid_grant'), { response: { status: 400 } });
  expect(await once(crm, server)).toBe('401 auth');
  expect(await once(crm, server)).toBe('AUTH_FAILED');
  await crm.expectNothingLeft();
});

test('credentials that have expired while the call waited in line are got again, and nothing is sent with the old ones', async () => {
  let count = 0;
  const crm: Harness = new Harness({
    options: {
      auth: {
        credentials: () => {
          count += 1;
          return { headers: { authorization: `token-${count}` }, expiresAt: new Date(crm.clock.wallMs() + 1000) };
        },
      },
    },
  });
  crm.double.grantAfterMs = 1000;
  const seen: string[] = [];
  const call = crm.call();
  const end = call.attempt(({ headers }) => {
    seen.push(headers['authorization'] ?? '');
    return Promise.resolve(answered({ status: 200 }));
  });
  await crm.clock.advance(0);
  crm.double.grantAfterMs = 10;
  await crm.clock.advance(1010);
  expect(await end).toMatchObject({ decision: 'deliver' });
  expect([count, seen]).toEqual([2, ['token-2']]);
  expect(crm.double.settled[0]).toMatchObject({ settlement: { end: 'not-sent', health: 'none' } });
  await crm.expectNothingLeft();
});

test.each<[string, () => unknown]>([
  [
    'throw',
    () => {
      throw new Error('vault');
    },
  ],
  ['give nothing', () => undefined],
  ['give no texts', () => ({ headers: { authorization: 7 } })],
  ['have expired', () => ({ headers: {}, expiresAt: new Date(0) })],
])('law 13: credentials that %s refuse the call unsent', async (_what, credentials) => {
  const crm = new Harness({ options: { auth: { credentials: credentials as never } } });
  const going = crm.go();
  await crm.clock.advance(0);
  expect(going.told).toBe('AUTH_FAILED auth');
  expect([crm.provider.log.length, crm.double.asks.length]).toEqual([0, 0]);
  await crm.expectNothingLeft();
});

test("a refresh through the provider's own client is admitted, in the most urgent lane, and waits for no credentials", async () => {
  const seen: unknown[] = [];
  const crm: Harness = new Harness({
    options: {
      lanes: { interactive: {}, background: {} },
      auth: {
        credentials: async () => {
          await crm.runtime.run((context) => void seen.push(context.headers));
          return { headers: { authorization: 'token' } };
        },
      },
    },
  });
  const end = await crm.call().attempt(({ headers }) => {
    seen.push(headers);
    return Promise.resolve(answered({ status: 200 }));
  });
  expect(end.decision).toBe('deliver');
  expect(seen).toEqual([{}, { authorization: 'token' }]);
  expect(crm.double.asks.map(({ lane }) => lane)).toEqual([0, 1]);
  await crm.expectNothingLeft();
});

test('partitions have credentials of their own, and one that is stopped stops no other', async () => {
  const crm = new Harness({
    options: {
      dimensions: ['account'],
      auth: { credentials: ({ account }) => ({ headers: { authorization: `of ${account}` } }) },
    },
  });
  const ends: string[] = [];
  for (const account of ['a', 'b', 'a', 'b']) {
    const call = crm.call('GET', { sluice: { partition: { account } } });
    for (;;) {
      const end = await call.attempt(({ headers }) =>
        Promise.resolve(answered({ status: headers['authorization'] === 'of a' ? 401 : 200 })),
      );
      if (end.decision === 'retry') continue;
      ends.push(end.decision === 'deliver' ? String(end.result.status) : (end.error as { code: string }).code);
      break;
    }
  }
  expect(ends).toEqual(['401', '200', 'AUTH_FAILED', '200']);
  await crm.expectNothingLeft();
});

test('law 12: no event tells a credential', async () => {
  const server = new TokenServer();
  const crm = setUp(server);
  server.valid = 2;
  await once(crm, server);
  server.fail = () => new Error('token-secret');
  server.valid = 5;
  await once(crm, server);
  expect(JSON.stringify(crm.events)).not.toMatch(/token-/);
});
