import { concurrency, slidingWindow, tokenBucket } from '../../libs/core/src/contract/builders.js';
import { FleetWorld, until } from './fleet-world.fixture.js';

const port = Number(new URL(process.env['REDIS_URL'] as string).port);
const two = [{ port }, { port }];
/** So that a busy machine is not taken for an outage. */
const gate = { gateTimeout: '10s' } as const;

let world: FleetWorld;
afterEach(() => world.close());

function count(codes: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

it('case 47: of a thousand calls at once that cannot wait for the next window, in two processes, five are admitted by a limit of five', async () => {
  // On a busy machine a grant comes late; one that comes later than the guard covers is given back.
  const provider = { limits: [slidingWindow({ limit: 5, per: '1m' })], guard: '4s' } as const;
  world = new FleetWorld({ provider, processes: two, gate });
  const ends = await Promise.all(world.processes.map((one) => one.calls(500, 0, { maxWaitMs: 5_000 })));
  expect(count(ends.flat())['sent']).toBe(5);
  expect(ends.flat()).toHaveLength(1_000);
  expect(world.visits).toHaveLength(5);
});

it('case 67: thirty-two workers on twenty-five permits lose none of them', async () => {
  world = new FleetWorld({ provider: { limits: [concurrency({ limit: 25 })] }, processes: two, gate });
  const worker = async (index: number): Promise<readonly string[]> => {
    const codes: string[] = [];
    for (let round = 0; round < 10; round += 1) codes.push(await world.process(index % 2).call(100));
    return codes;
  };
  const ends = await Promise.all(Array.from({ length: 32 }, (_, index) => worker(index)));
  expect(count(ends.flat())).toEqual({ sent: 320 });
  expect(world.excess()).toBeNull();
  expect(world.processes.flatMap(({ events }) => events.map(({ type }) => type))).not.toContain('outage');
});

it('case 95: when the breaker of two processes is due for a probe, one of two hundred calls is sent', async () => {
  world = new FleetWorld({
    provider: {
      limits: [tokenBucket({ burst: 1_000, limit: 1_000, per: '1s' })],
      breaker: { consecutiveFailures: 1, probeEvery: '1s', whileOpen: 'refuse' },
    },
    processes: two,
    gate,
  });
  const [first, second] = world.processes as [FleetWorld['processes'][number], FleetWorld['processes'][number]];
  expect(await first.call(0, {}, { health: 'failure' })).toBe('sent');
  await until(() => first.events.some(({ type }) => type === 'breaker'));
  expect(await second.call()).toBe('CIRCUIT_OPEN');
  let probes = 0;
  const began = performance.now();
  while (probes === 0 && performance.now() - began < 10_000) {
    const before = world.visits.length;
    const ends = await Promise.all(world.processes.map((one) => one.calls(100, 300)));
    probes = world.visits.length - before;
    if (probes > 0) expect(count(ends.flat())).toEqual({ sent: 1, CIRCUIT_OPEN: 199 });
  }
  expect(probes).toBe(1);
});
