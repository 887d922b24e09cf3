/** An unknown provider, by the whole way of a call on the virtual clock. The judge is the provider's log. */
import { HttpService } from '@nestjs/axios';
import { Test } from '@nestjs/testing';
import {
  defineProvider,
  getProviderToken,
  type ProviderOptions,
  RateLimitModule,
  RateLimitService,
  type SluiceEvent,
} from 'nestjs-sluice';
import { genericProvider } from 'nestjs-sluice/providers';
import {
  answer,
  ProviderSimulator,
  script,
  type ScriptStep,
  SeededRandom,
  type SimulatedLimit,
  VirtualClock,
} from 'nestjs-sluice/testing';
import { firstValueFrom } from 'rxjs';
import { QuietLogger } from './support/silent.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const patient = { retry: { maxWait: '10m' }, queue: { maxWait: '1h' }, timeouts: { total: '1h' } } as const;

interface World {
  readonly clock: VirtualClock;
  readonly provider: ProviderSimulator;
  readonly guesses: Extract<SluiceEvent, { type: 'guess' }>[];
  readonly logger: QuietLogger;
  /** Sends a read, and tells the status of the answer. */
  send(path?: string): Promise<number>;
  close(): Promise<void>;
}

async function open(
  steps: readonly ScriptStep[],
  options: Partial<ProviderOptions> = {},
  limits: readonly SimulatedLimit[] = [],
): Promise<World> {
  const clock = new VirtualClock();
  const provider = new ProviderSimulator({ script: script(steps), limits, refusal: { retryAfter: 'none' } });
  const contract = genericProvider({
    name: 'acme',
    ...options,
    http: { baseURL: 'http://acme.test', adapter: provider.transport(clock) },
  });
  const logger = new QuietLogger();
  const app = await Test.createTestingModule({
    imports: [RateLimitModule.forRoot({ providers: [contract], clock, random: new SeededRandom(7) })],
  })
    .setLogger(logger)
    .compile();
  await app.init();
  const guesses: World['guesses'] = [];
  app.get(RateLimitService).events.subscribe((event) => {
    if (event.type === 'guess') guesses.push(event);
  });
  const http = app.get<HttpService>(getProviderToken('acme'));
  const send = async (path = '/x') => (await firstValueFrom(http.get(path, { validateStatus: () => true }))).status;
  const close = async () => {
    await app.close();
    expect(clock.pendingTimers).toBe(0);
  };
  return { clock, provider, guesses, logger, send, close };
}

const gaps = ({ provider: { log } }: World): number[] =>
  log.slice(1).map((arrival, index) => arrival.atMs - (log[index]?.endedAtMs ?? NaN));

const X_LEFT = { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '0' };
const epoch = (ms: number) => String(Math.round(new VirtualClock().wallMs() / 1000) + ms / 1000);

test.each([
  ['an hour from now', () => '3600'],
  ['a moment in an hour', () => epoch(HOUR)],
  ['a moment in an hour, in milliseconds', () => `${epoch(HOUR)}000`],
])('a reset that seems to be %s is waited for at most a minute, and the guess is told once', async (_what, reset) => {
  const refusal = answer(429, { ...X_LEFT, 'x-ratelimit-reset': reset() });
  const world = await open([refusal, refusal, 200]);
  expect(await world.clock.advanceUntil(world.send(), HOUR)).toBe(200);
  expect(gaps(world)).toHaveLength(2);
  for (const gap of gaps(world)) {
    expect(gap).toBe(MINUTE);
  }
  await world.clock.advanceUntil(world.send(), HOUR);
  expect(world.guesses).toHaveLength(1);
  expect(world.guesses[0]).toMatchObject({ provider: 'acme', about: 'how x-ratelimit-reset is written' });
  expect(world.guesses[0]?.taken).toMatch(/by its size; waited for at most 60 s$/);
  expect(world.logger.lines.filter((line) => line.includes('x-ratelimit-reset'))).toHaveLength(1);
  await world.close();
});

test('a Retry-After of five minutes is waited for in full where the call may wait as long, and is no guess', async () => {
  for (const header of ['300', new Date(new VirtualClock().wallMs() + 5 * MINUTE).toUTCString()]) {
    const world = await open([answer(429, { 'retry-after': header }), 200], patient);
    expect(await world.clock.advanceUntil(world.send(), HOUR)).toBe(200);
    const [gap] = gaps(world);
    expect(gap).toBeGreaterThanOrEqual(5 * MINUTE - 1000);
    expect(gap).toBeLessThanOrEqual(5 * MINUTE + 500);
    expect(world.guesses).toEqual([]);
    await world.close();
  }
});

test('so is a reset in the fields of the IETF, whose unit is defined', async () => {
  const fields: Record<string, string>[] = [
    { 'ratelimit-remaining': '0', 'ratelimit-reset': '300' },
    { ratelimit: 'limit=10, remaining=0, reset=300' },
    { ratelimit: '"default";r=0;t=300' },
  ];
  for (const headers of fields) {
    const world = await open([answer(429, headers), 200], patient);
    expect(await world.clock.advanceUntil(world.send(), HOUR)).toBe(200);
    expect(gaps(world)[0]).toBeGreaterThanOrEqual(5 * MINUTE);
    expect(world.guesses).toEqual([]);
    await world.close();
  }
});

test('a refusal that tells nothing is waited out a minute at most, each time, and told once', async () => {
  const world = await open([429, 429, 429, 429, 200], patient);
  const others = [world.send(), world.send()];
  expect(await world.clock.advanceUntil(Promise.all(others), HOUR)).toEqual([200, 200]);
  expect(gaps(world).slice(0, 4).map(Math.round)).toEqual([MINUTE, MINUTE, MINUTE, MINUTE]);
  expect(world.guesses).toMatchObject([
    { about: 'how long to wait after a refusal that tells no wait', taken: 'a pause of 60 s' },
  ]);
  await world.close();
});

test('a 403 that tells a wait is taken for a refusal, and that is told', async () => {
  const world = await open([answer(403, { 'retry-after': '20' }), 200]);
  expect(await world.clock.advanceUntil(world.send(), HOUR)).toBe(200);
  expect(world.guesses).toMatchObject([{ taken: 'a refusal for a limit' }]);
  await world.close();
});

test('failures back off for less than a minute each', async () => {
  const world = await open([503, 500, 502, 200], patient);
  expect(await world.clock.advanceUntil(world.send(), HOUR)).toBe(200);
  for (const gap of gaps(world)) expect(gap).toBeLessThanOrEqual(MINUTE);
  await world.close();
});

test('a provider that counts a minute and tells nothing lets the call through that tests the water', async () => {
  const world = await open([], {}, [{ kind: 'sliding-window', limit: 3, perMs: MINUTE }]);
  const calls = Array.from({ length: 4 }, (_, index) => world.send(`/${index}`));
  await world.clock.advance(10_000);
  calls.push(world.send('/later'), world.send('/last'));
  expect(await world.clock.advanceUntil(Promise.all(calls), HOUR)).toEqual([200, 200, 200, 200, 200, 200]);
  expect(world.provider.log.filter(({ verdict }) => verdict === 'limited')).toHaveLength(1);
  await world.close();
});

const ABSURD: [string, Record<string, string>, string][] = [
  ['a date in the year 9999', { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, 'retry-after'],
  ['a trillion seconds', { ratelimit: '"default";r=0;t=999999999999' }, 'ratelimit'],
  ['a reset in the year 9999', { ...X_LEFT, 'x-ratelimit-reset': '9999-12-31T23:59:59Z' }, 'x-ratelimit-reset'],
];

test.each(ABSURD)(
  '%s is waited for a minute at most, as nobody means it, and told once',
  async (_what, headers, name) => {
    const world = await open([answer(429, headers), answer(429, headers), 200]);
    expect(await world.clock.advanceUntil(world.send(), HOUR)).toBe(200);
    for (const gap of gaps(world)) expect(Math.round(gap)).toBe(MINUTE);
    expect(world.guesses).toHaveLength(1);
    expect(world.guesses[0]?.about).toMatch(new RegExp(`^a wait of [\\d,]+ days that ${name} tells$`));
    expect(world.guesses[0]?.taken).toBe('more than anybody means; waited for at most 60 s');
    await world.close();
  },
);

test('a wait with a unit, which no standard has, is a guess', async () => {
  const world = await open([answer(429, { 'retry-after': '1h' }), 200]);
  expect(await world.clock.advanceUntil(world.send(), HOUR)).toBe(200);
  expect(gaps(world).map(Math.round)).toEqual([MINUTE]);
  expect(world.guesses).toMatchObject([{ about: 'how retry-after is written' }]);
  await world.close();
});

test.each(ABSURD)(
  '%s stops a provider without `pause.maxGuess` for `pause.maxHint`, and that is told once',
  async (_what, headers, name) => {
    const clock = new VirtualClock();
    const provider = new ProviderSimulator({ script: script([answer(429, headers)]) });
    const http = { baseURL: 'http://crm.test', adapter: provider.transport(clock) };
    const logger = new QuietLogger();
    const providers = [defineProvider({ name: 'crm', limits: [], http })];
    const app = await Test.createTestingModule({ imports: [RateLimitModule.forRoot({ providers, clock })] })
      .setLogger(logger)
      .compile();
    await app.init();
    const client = app.get<HttpService>(getProviderToken('crm'));
    const send = () => firstValueFrom(client.get('/x')).catch((error: unknown) => error);
    expect(await clock.advanceUntil(send(), HOUR)).toMatchObject({ sluice: { reason: 'wait-too-long' } });
    expect(await clock.advanceUntil(send(), HOUR)).toMatchObject({ code: 'PAUSED' });
    const lines = logger.lines.filter((line) => line.includes(`days that ${name} tells`));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/believed for 7 days only \(pause\.maxHint\); .* lower pause\.maxHint/);
    await app.close();
  },
);
