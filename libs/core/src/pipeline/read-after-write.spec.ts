import { enterInbound } from '../context/enter.js';
import type { ProviderOptions } from '../contract/options.js';
import type { CallOptions } from './call.js';
import { drive, Harness } from './harness.fixture.js';

const dimensions = ['account'];
const reused: Partial<ProviderOptions> = { dimensions, demand: { singleFlight: false, requestReuse: true } };
const flown: Partial<ProviderOptions> = { dimensions, demand: { singleFlight: true, requestReuse: true } };

/** An inbound request that reads and writes as a client does: reads through the demand layer. */
function inbound(harness: Harness) {
  const shelter = <T>(fn: () => T): T => enterInbound({ clock: harness.clock }, fn);
  const of = (account: string): CallOptions => ({ partition: { account } });
  const read = (account = '1'): Promise<unknown> => {
    const request = { method: 'GET', path: '/things', query: {}, headers: {}, body: undefined, route: null };
    const spec = { request, options: of(account) };
    const { lane, deadlineMono, partition, reuse } = harness.runtime.identify(spec);
    const key = JSON.stringify([partition]);
    return harness.runtime.demand.share(
      { key, lane, deadlineMono, partition, signal: null, reuse, streams: false },
      () => drive(harness.runtime.startCall(spec), harness.provider.sender(`read ${account}`)),
      (value) => ({ ...value }),
    );
  };
  const write = (account = '1', more: CallOptions = {}) =>
    harness.go('POST', { name: `write ${account}`, sluice: { ...of(account), ...more } }).done;
  return { shelter, read, write };
}

const sent = (harness: Harness): string[] => harness.provider.log.map(({ name }) => name);

test('a write makes the reads of its partition be read again within the inbound request, and those of no other', async () => {
  const harness = new Harness({ script: '200 x9', options: reused });
  const { shelter, read, write } = inbound(harness);
  await shelter(async () => {
    for (const account of ['1', '2', '1', '2']) await read(account);
    await write('1');
    for (const account of ['1', '2', '1', '2']) await read(account);
  });
  expect(sent(harness)).toEqual(['read 1', 'read 2', 'write 1', 'read 1']);
  await harness.expectNothingLeft();
});

test.each(['422', '503', 'reset', '429(retry-after: 1), 200'])(
  'a write that ends with %s does so too',
  async (script) => {
    const harness = new Harness({ script: `200, ${script}, 200`, options: reused });
    const { shelter, read, write } = inbound(harness);
    const done = shelter(async () => {
      await read();
      await write();
      await read();
    });
    await harness.clock.advance(60_000);
    await done;
    expect(sent(harness).at(-1)).toBe('read 1');
    await harness.expectNothingLeft();
  },
);

test('a request that is safe by its contract is no write', async () => {
  const harness = new Harness({ script: '200 x3', options: { ...reused, safe: ['GET *', 'POST *'] } });
  const { shelter, read, write } = inbound(harness);
  await shelter(async () => {
    await read();
    await write();
    await read();
  });
  expect(sent(harness)).toEqual(['read 1', 'write 1']);
  await harness.expectNothingLeft();
});

test('an observed write counts as one', async () => {
  const harness = new Harness({ script: '200 x3', options: { ...reused, mode: 'observe' } });
  const { shelter, read, write } = inbound(harness);
  await shelter(async () => {
    await read();
    await write();
    await read();
  });
  expect(sent(harness)).toEqual(['read 1', 'write 1', 'read 1']);
  await harness.expectNothingLeft();
});

test('what was asked before a write or while it was on the wire is not kept for later', async () => {
  // read 1 takes from 0 to 100, the write from 10 to 60, a second read from 20 to 90.
  const harness = new Harness({ script: 'slow(100) 200, slow(50) 200, slow(70) 200, 200', options: reused });
  const { shelter, read, write } = inbound(harness);
  const { clock } = harness;
  await shelter(async () => {
    const before = read();
    await clock.advance(10);
    const writing = write();
    await clock.advance(10);
    const meanwhile = read();
    await clock.advance(80);
    await Promise.all([before, writing, meanwhile]);
    await read();
    await read();
  });
  expect(sent(harness)).toEqual(['read 1', 'write 1', 'read 1', 'read 1']);
  await harness.expectNothingLeft();
});

test('a read after a write has no part in a flight that took off before its end, whoever it belongs to', async () => {
  const harness = new Harness({ script: 'slow(100) 200, slow(10) 200, slow(10) 200, slow(10) 200', options: flown });
  const { shelter, read, write } = inbound(harness);
  const { clock } = harness;
  const others = shelter(() => read());
  const foreign = shelter(() => read('2'));
  await clock.advance(0);
  await shelter(async () => {
    const writing = write();
    await clock.advance(10);
    await writing;
    const mine = read();
    const also = read();
    await clock.advance(10);
    await Promise.all([mine, also, read()]);
  });
  expect(sent(harness)).toEqual(['read 1', 'read 2', 'write 1', 'read 1']);
  await clock.advance(100);
  await Promise.all([others, foreign]);
  expect(harness.runtime.demand.flights).toBe(0);
  await harness.expectNothingLeft();
});

test('another inbound request keeps what it has read', async () => {
  const harness = new Harness({ script: '200 x3', options: reused });
  const { shelter, read, write } = inbound(harness);
  await shelter(async () => {
    await read();
    await shelter(() => write());
    await read();
  });
  expect(sent(harness)).toEqual(['read 1', 'write 1']);
  await harness.expectNothingLeft();
});

test('a provider without dimensions is one partition', async () => {
  const harness = new Harness({ script: '200 x3', options: { ...reused, dimensions: [] } });
  const { shelter, read, write } = inbound(harness);
  await shelter(async () => {
    await read();
    await write('1', { partition: {} });
    await read();
  });
  expect(sent(harness)).toHaveLength(3);
  await harness.expectNothingLeft();
});
