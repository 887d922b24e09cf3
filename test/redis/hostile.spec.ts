import { concurrency, fixedWindow, quota, slidingWindow, tokenBucket } from '../../libs/core/src/contract/builders.js';
import type { Settlement } from '../../libs/core/src/gate/admission.js';
import { type FleetProcess, FleetWorld } from './fleet-world.fixture.js';

const port = Number(new URL(process.env['REDIS_URL'] as string).port);
const limits = [
  tokenBucket({ name: 'bucket', burst: 1e6, limit: 1e6, per: '1s', countedBy: [] }),
  slidingWindow({ name: 'sliding', limit: 1e6, per: '1s', countedBy: [] }),
  fixedWindow({ name: 'fixed', limit: 1e6, per: '1s', countedBy: [] }),
  quota({ name: 'quota', limit: 1e6, per: 'day', countedBy: [] }),
  concurrency({ name: 'permits', limit: 50, countedBy: ['user'] }),
  tokenBucket({ name: 'mine', burst: 20, limit: 100, per: '1s' }),
];
const ODD = [NaN, Infinity, -Infinity, -1, 1e308, 5e-324, 0.1];

let world: FleetWorld;
let one: FleetProcess;

beforeEach(() => {
  const provider = { dimensions: ['user'], limits, timeouts: { attempt: '1s' } } as const;
  world = new FleetWorld({ provider, processes: [{ port }], gate: { gateTimeout: '5s', outage: 'closed' } });
  one = world.process(0);
});
afterEach(() => world.close());

const of = (user: string) => ({ partition: { user }, tenant: user, maxWaitMs: 20_000 });

const seen = (remaining: number | null, resetInMs: number | null): Partial<Settlement> => ({
  seen: limits.map(({ name = '' }) => ({ limitName: name, remaining, resetInMs })),
});

it.each(ODD)('no step fails by a figure of %d that an answer tells', async (odd) => {
  const ends: Partial<Settlement>[] = [
    { trueUnits: { requests: odd } },
    { refusal: { limitName: 'permits', waitMs: odd } },
    seen(odd, null),
    seen(10, odd),
    seen(odd, odd),
  ];
  for (const [user, end] of ends.entries()) {
    await one.call(0, of(`${user}`), end);
    await one.call(0, { ...of('other'), maxWaitMs: 50 });
  }
  expect(one.gate.health()).toMatchObject({ status: 'up' });
});

it.each([...ODD, 0, 1e15])(
  'no step fails by a call that costs %d, and one that is observed is charged it',
  async (odd) => {
    await one.calls(3, 0, { ...of('a'), units: { requests: odd } });
    await one.calls(3, 0, { ...of('a'), units: { requests: odd }, observe: true });
    await one.call(0, { ...of('a'), maxWaitMs: 50 });
    await one.admission.inspect();
    expect(one.gate.health()).toMatchObject({ status: 'up' });
  },
);

it.each([' ', '\0', '\ud800', '__proto__', 'constructor', 'a|b&c=d', '{x}', '𝒳', 'long'.repeat(25_000)])(
  'a tenant and user whose name is odd have limits as anybody has (%#)',
  async (name) => {
    expect(new Set(await one.calls(25, 0, of(name)))).toEqual(new Set(['sent']));
    expect(await one.call(0, of('another'))).toBe('sent');
    expect(world.excess()).toBeNull();
    expect(one.gate.health()).toMatchObject({ status: 'up' });
  },
);
