import { inspect } from 'node:util';
import { enterMethod } from '../context/enter.js';
import { tokenBucket } from '../contract/builders.js';
import { SluiceError } from '../errors/sluice-error.js';
import { memoryGate } from '../gate/memory/memory-gate.js';
import { Harness } from './harness.fixture.js';

const perAccount = tokenBucket({ burst: 5, limit: 5, per: '1s', countedBy: ['account'], name: 'per-account' });

describe('what errors of calls say', () => {
  it('a missing value of a dimension: the limit that needs it, the method, and what was given in its place', async () => {
    const harness = new Harness({ script: '200', options: { limits: [perAccount], dimensions: ['account'] } });
    const entry = { provider: 'crm', clock: harness.clock, label: 'CrmService.contact' };
    const inside = () => enterMethod({ ...entry, options: { partition: { acount: 'a' } } }, () => harness.call());
    expect(inside).toThrow(
      expect.objectContaining({
        code: 'CONFIG',
        message: expect.stringMatching(
          /no value for dimension "account", needed by limit "per-account".*"acount", which is no dimension.*CrmService\.contact.*inbound\.partition/s,
        ),
      }),
    );
    await harness.expectNothingLeft();
  });

  it('a route is unmatched only where the contract names routes', async () => {
    const plain = new Harness({ script: 'reset' });
    const bare = await plain.go('POST').done;
    expect(bare).toMatchObject({ error: { message: expect.stringContaining('Provider "crm", POST: ') } });
    const routed = new Harness({ script: 'reset', options: { routes: { search: 'GET /search' } } });
    const unmatched = await routed.go('POST').done;
    expect(unmatched).toMatchObject({ error: { message: expect.stringContaining('POST (unmatched route): ') } });
  });

  it('an unknown outcome names what would let it be repeated', async () => {
    const harness = new Harness({ script: 'reset' });
    expect(await harness.go('POST').done).toMatchObject({
      error: { code: 'OUTCOME_UNKNOWN', message: expect.stringMatching(/`idempotency`.*`safe`/) },
    });
  });
});

describe('what refusals of the gate say', () => {
  it('a breaker that opens on the call itself: how it failed, and when the next probe is due', async () => {
    const breaker = { consecutiveFailures: 1, probeEvery: '60s' } as const;
    const harness = new Harness({ script: 'reset', options: { breaker }, gate: memoryGate() });
    const going = harness.go();
    await harness.clock.advance(5000);
    expect(going.end).toMatchObject({
      error: {
        code: 'CIRCUIT_OPEN',
        attempts: 1,
        message: expect.stringMatching(/open after repeated failures; it tries again in \d+ ms/),
        cause: { code: 'ECONNRESET' },
      },
    });
    await harness.expectNothingLeft();
  });

  it('a deadline that a bare write can never meet: no time to come again, and the option that asks for more', async () => {
    const timeouts = { attempt: '10s', total: '1m' } as const;
    const harness = new Harness({ script: '200', options: { timeouts }, gate: memoryGate() });
    const going = harness.go('POST', { sluice: { deadline: '3s' } });
    await harness.clock.advance(0);
    expect(going.end).toMatchObject({
      error: {
        code: 'DEADLINE_UNREACHABLE',
        retryAt: null,
        message: expect.stringMatching(/3000 ms are left.*whole of timeouts\.attempt, 10000 ms/),
      },
    });
    expect(harness.provider.log).toEqual([]);
    await harness.expectNothingLeft();
  });

  it('a start that comes too late: how long it would have to wait, and how long it may', async () => {
    const limits = [tokenBucket({ burst: 1, limit: 1, per: '10s' })];
    const harness = new Harness({ script: '200', options: { limits }, gate: memoryGate() });
    harness.go();
    await harness.clock.advance(0);
    const late = harness.go('GET', { sluice: { deadline: '1s' } });
    await harness.clock.advance(0);
    expect(late.end).toMatchObject({
      error: {
        code: 'DEADLINE_UNREACHABLE',
        message: expect.stringMatching(/would have to wait 10000 ms, but may wait 999 ms before its deadline/),
      },
    });
    await harness.expectNothingLeft();
  });

  it('a full queue: how many calls wait, one of them too; and a pause of a dimension that is not there', async () => {
    const limits = [tokenBucket({ burst: 1, limit: 1, per: '10s' })];
    const harness = new Harness({ script: '200 x2', options: { limits, queue: { maxSize: 1 } }, gate: memoryGate() });
    harness.go();
    await harness.clock.advance(0);
    harness.go();
    const full = harness.go();
    await harness.clock.advance(0);
    expect(full.end).toMatchObject({ error: { message: expect.stringContaining('1 call waits already') } });
    expect(() => harness.runtime.admission.resume({ account: 'x' })).toThrow(
      'the dimension in `partition` is "account"; expected none: the contract has no dimensions',
    );
    await harness.clock.advance(20_000);
    await harness.expectNothingLeft();
  });
});

describe('a refusal of the gate says what was refused', () => {
  const routes = { things: 'GET /things' };
  const lanes = { interactive: {}, background: {} };
  const slow = [tokenBucket({ name: 'per-minute', burst: 1, limit: 1, per: '10s' })];
  const messageOf = (end: unknown): string => String((end as { error: Error }).error.message);

  it('its method and route, its lane, the limit, and what to do next; never its path', async () => {
    const harness = new Harness({ script: '200', options: { limits: slow, routes, lanes }, gate: memoryGate() });
    harness.go();
    await harness.clock.advance(0);
    const late = harness.go('GET', { sluice: { lane: 'background', deadline: '1s' } });
    await harness.clock.advance(0);
    expect(messageOf(late.end)).toMatch(
      /^Provider "crm", GET \(route "things"\), lane "background": .*limit "per-minute".*Come again at retryAt/,
    );
    expect(messageOf(late.end)).not.toContain('/things');
    await harness.expectNothingLeft();
  });

  it('no lane where there is but one, and the guarded method where there is no request', async () => {
    const harness = new Harness({ script: '200', options: { limits: slow }, gate: memoryGate() });
    const never = harness.go('GET', { sluice: { units: { requests: 2 } } });
    await harness.clock.advance(0);
    expect(messageOf(never.end)).toMatch(
      /^Provider "crm", GET: the call costs more than the limit "per-minute" .*Lower/,
    );
    await harness.runtime.admission.drain(0);
    const stopped = harness.go();
    await harness.clock.advance(0);
    expect(stopped.end).toMatchObject({ error: { code: 'SHUTDOWN', attempts: 0 } });
    expect(messageOf(stopped.end)).toMatch(/^Provider "crm", GET: .*another replica/);
    await harness.expectNothingLeft();
  });
});

describe('the brand of errors', () => {
  it('is on all of them and printed with none', () => {
    const error = new SluiceError({ code: 'CONFIG', message: 'x' });
    expect(error).toBeInstanceOf(SluiceError);
    expect(Object.getOwnPropertySymbols(error)).toEqual([]);
    expect(inspect(error)).not.toContain('error@1');
  });
});
