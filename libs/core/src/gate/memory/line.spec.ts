import { concurrency, slidingWindow, tokenBucket } from '../../contract/builders.js';
import type { Ask } from '../port.js';
import { Lab, MINUTE, SECOND, START_US, type Want } from './lab.fixture.js';
import { Entry, Line } from './line.js';

const slow = { limits: [tokenBucket({ burst: 1, limit: 1, per: '1s' })], guard: 0 } as const;

/** Lets every ticket ask when the gate said, and gives the order in which their calls were granted. */
function drain(
  lab: Lab,
  wants: readonly { name: string; want: Want; processId: string; calls: number }[],
  most: number,
): string[] {
  const order: string[] = [];
  const start = lab.at;
  const queues = wants.map(({ name, want, processId, calls }) => ({
    name,
    want,
    processId,
    left: calls,
    pollAt: lab.at,
  }));
  while (order.length < most) {
    queues.sort((a, b) => a.pollAt - b.pollAt);
    const next = queues.find((queue) => queue.left > 0);
    if (next === undefined) return order;
    lab.at = Math.max(lab.at, next.pollAt);
    const ask: Ask = lab.ask({ ...next.want, calls: next.left, waitedUs: lab.at - start + (next.want.waitedUs ?? 0) });
    const reply = lab.step({ asks: [ask] }, next.processId);
    next.left -= reply.grants.length;
    for (const _ of reply.grants) order.push(next.name);
    next.pollAt = reply.waits[0] === undefined ? lab.at : lab.at + lab.until(reply.waits[0].pollAtUs);
  }
  return order;
}

describe('the line', () => {
  it('grants the most urgent lane first, across processes', () => {
    const lab = new Lab({ ...slow, lanes: { a: {}, b: {} } });
    lab.granted();
    const wants = [
      { name: 'b', want: { lane: 1 }, processId: 'x', calls: 3 },
      { name: 'a', want: { lane: 0 }, processId: 'y', calls: 3 },
    ];
    expect(drain(lab, wants, 6)).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
  });

  it('case 50: a call of an urgent lane that comes later is granted next', () => {
    const lab = new Lab({ ...slow, lanes: { high: {}, low: {} } });
    lab.granted({ lane: 1 });
    lab.step({ asks: [lab.ask({ lane: 1, calls: 4 })] });
    lab.at += 500_000;
    const wait = lab.want({ lane: 0 }).waits[0];
    expect(lab.until(wait?.estimateUs ?? 0)).toBe(500_000);
    lab.at += 500_000;
    expect(lab.step({ asks: [lab.ask({ lane: 1, calls: 4 })] }).grants).toHaveLength(0);
    lab.granted({ lane: 0 });
  });

  it('without tenants is in order of arrival, whoever asks first', () => {
    const lab = new Lab(slow);
    lab.granted();
    lab.want({ key: 'young', waitedUs: 10 }, 'x');
    lab.want({ key: 'old', waitedUs: 1000 }, 'y');
    lab.at += SECOND;
    expect(lab.want({ key: 'young', waitedUs: SECOND + 10 }, 'x').grants).toHaveLength(0);
    lab.granted({ key: 'old', waitedUs: SECOND + 1000 }, 'y');
  });

  it('serves tenants in turn, however many calls one of them has', () => {
    const lab = new Lab(slow);
    lab.granted();
    const wants = ['t1', 't2', 't3'].map((tenant) => ({
      name: tenant,
      want: { tenant },
      processId: `of ${tenant}`,
      calls: tenant === 't1' ? 100 : 4,
    }));
    const order = drain(lab, wants, 12);
    for (const tenant of ['t1', 't2', 't3']) expect(order.filter((name) => name === tenant)).toHaveLength(4);
  });

  it('serves tenants by their weights', () => {
    const lab = new Lab({ ...slow, tenants: { weight: (tenant) => (tenant === 'big' ? 3 : 1) } });
    lab.granted();
    const wants = ['big', 'small'].map((tenant) => ({ name: tenant, want: { tenant }, processId: tenant, calls: 99 }));
    const order = drain(lab, wants, 16);
    expect(order.filter((name) => name === 'big').length).toBeGreaterThanOrEqual(11);
    expect(order.filter((name) => name === 'big').length).toBeLessThanOrEqual(13);
  });

  it('gives no one tenant more than its share of the permits, and others the rest', () => {
    const lab = new Lab({ limits: [concurrency({ limit: 4 })], tenants: { maxShare: 0.5 } });
    lab.granted({ tenant: 't1' });
    lab.granted({ tenant: 't1' });
    expect(lab.want({ tenant: 't1' }).waits[0]).toMatchObject({ cause: 'tenant-share' });
    lab.granted({ tenant: 't2' });
    lab.granted({ tenant: '' });
  });

  it('keeps a reserve of the provider-wide limits from the other lanes', () => {
    const lab = new Lab({
      limits: [tokenBucket({ burst: 10, limit: 1, per: '1s' }), concurrency({ limit: 100 })],
      lanes: { a: { reserve: { 'token-bucket': 2 } }, b: {} },
      guard: 0,
    });
    expect(lab.step({ asks: [lab.ask({ lane: 1, calls: 8 })] }).grants).toHaveLength(8);
    expect(lab.want({ lane: 1 }).waits[0]).toMatchObject({ cause: 'reserve' });
    lab.granted({ lane: 0 });
    lab.granted({ lane: 0 });
  });

  it('gives a lane its guarantee while more urgent ones want it all', () => {
    const lab = new Lab({
      limits: [tokenBucket({ burst: 5, limit: 50, per: '1s' })],
      lanes: { a: {}, b: { guarantee: 0.2 } },
      guard: 0,
    });
    const wants = [
      { name: 'a', want: { lane: 0 }, processId: 'x', calls: 10_000 },
      { name: 'b', want: { lane: 1 }, processId: 'y', calls: 10_000 },
    ];
    const order = drain(lab, wants, 500);
    expect(order.filter((name) => name === 'b').length).toBeGreaterThan(85);
    expect(order.filter((name) => name === 'b').length).toBeLessThan(115);
  });

  it('holds a lane to its ceiling, whatever is free, and charges its first attempts only', () => {
    const lab = new Lab({
      limits: [tokenBucket({ burst: 100, limit: 100, per: '1s' })],
      lanes: { a: {}, b: { ceiling: { limit: 45, per: '1m' } } },
    });
    lab.granted({ lane: 1 });
    const wait = lab.want({ lane: 1 }).waits[0];
    expect(wait).toMatchObject({ cause: 'ceiling', limit: null });
    expect(lab.until(wait?.estimateUs ?? 0)).toBe(Math.ceil(MINUTE / 45));
    lab.granted({ lane: 1, kind: 'repeat', key: 'another' });
    lab.granted({ lane: 0 });
  });

  it('holds nobody up for a ticket whose process is late', () => {
    const lab = new Lab(slow);
    lab.granted();
    lab.want({ key: 'dead', waitedUs: 1000 }, 'dead');
    lab.want({ key: 'alive' }, 'alive');
    lab.at += SECOND + 20_000;
    expect(lab.want({ key: 'alive', waitedUs: SECOND }, 'alive').grants).toHaveLength(0);
    lab.at += 1;
    lab.granted({ key: 'alive', waitedUs: SECOND }, 'alive');
  });

  it('law 3: forgets a ticket nobody waits behind, and its place goes to the next', () => {
    const lab = new Lab({ limits: [concurrency({ limit: 1 })] });
    const grant = lab.granted();
    lab.want({ key: 'first', waitedUs: 100 }, 'x');
    lab.want({ key: 'second' }, 'y');
    lab.step({ asks: [lab.ask({ key: 'first', calls: 0 })] }, 'x');
    expect(lab.engine.inspect(0).tickets).toBe(1);
    lab.settle(grant);
    lab.granted({ key: 'second' }, 'y');
  });

  it('wakes who can start when a permit comes back', () => {
    const lab = new Lab({ limits: [concurrency({ limit: 1 })] });
    const grant = lab.granted({ key: 'k' });
    lab.want({ key: 'waits' });
    expect(lab.settle(grant).wake).toEqual(['waits']);
    lab.granted({ key: 'waits' });
  });

  it('law 11: a partition that is blocked delays no other', () => {
    const lab = new Lab({
      dimensions: ['account'],
      limits: [
        tokenBucket({ burst: 10, limit: 10, per: '1s', countedBy: [] }),
        tokenBucket({ burst: 1, limit: 1, per: '1m', countedBy: ['account'] }),
      ],
      lanes: { a: {}, b: {} },
      guard: 0,
    });
    const at = (account: string, lane: number): Want => ({ lane, partition: { account } });
    for (let i = 0; i < 5; i += 1) {
      lab.granted(at(`busy ${i}`, 0));
      lab.step({ asks: [lab.ask({ ...at(`busy ${i}`, 0), calls: 50 })] }, `process ${i}`);
    }
    for (let i = 0; i < 5; i += 1) lab.granted(at(`light ${i}`, 1));
  });

  it('law 11: a route that is blocked delays no other', () => {
    const lab = new Lab({
      routes: { search: 'GET /search' },
      limits: [
        tokenBucket({ burst: 9, limit: 9, per: '1s' }),
        tokenBucket({ burst: 1, limit: 1, per: '1m', routes: ['search'] }),
      ],
      guard: 0,
    });
    lab.granted({ limits: [0, 1] });
    expect(lab.want({ limits: [0, 1] }).waits[0]).toMatchObject({ cause: 'rate', limit: 1 });
    for (let i = 0; i < 8; i += 1) lab.granted({ limits: [0] });
  });

  it('law 11: owes a partition no more of a limit that several share than it can take of its own', () => {
    const lab = new Lab({
      dimensions: ['user', 'base'],
      limits: [
        slidingWindow({ name: 'base', limit: 5, per: '1s', countedBy: ['user', 'base'] }),
        slidingWindow({ name: 'user', limit: 12, per: '1s', countedBy: ['user'] }),
      ],
      guard: 0,
    });
    const ask = (base: string, waitedUs: number) => lab.want({ partition: { user: 'u', base }, calls: 40, waitedUs });
    expect(['a', 'b', 'c'].map((base, i) => ask(base, 4 - i).grants.length)).toEqual([5, 5, 2]);
    // The one in front has 38 waiting, of which its own limit lets three pass when the twelve of the user are there again.
    expect(ask('d', 1).waits).toMatchObject([{ cause: 'window', estimateUs: START_US + SECOND }]);
    lab.at = SECOND;
    expect(ask('d', 1 + SECOND).grants).toHaveLength(5);
  });

  it('sends an observed call at once, charges it and says what would have been', () => {
    const lab = new Lab(slow);
    expect(lab.granted({ observe: true }).shadow).toBeNull();
    expect(lab.granted({ observe: true }).shadow).toEqual({ cause: 'rate', limit: 0, waitUs: SECOND });
    expect(lab.until(lab.want().waits[0]?.estimateUs ?? 0)).toBe(2 * SECOND);
  });

  it("puts a ticket one call behind its tenant's other, though the account has seen none yet that tells what it can hold", () => {
    const lab = new Lab({
      dimensions: ['user'],
      limits: [tokenBucket({ burst: 4, limit: 40, per: '1s' })],
      guard: '100ms',
    });
    const want = { tenant: 't', partition: { user: 'u' } };
    lab.step({ asks: [lab.ask({ ...want, key: 'one' }), lab.ask({ ...want, key: 'other' })] });
    const [stage] = lab.engine.state.stages.all();
    expect(stage?.line.lane(0).entries.map(({ rank }) => rank)).toEqual([1]);
  });

  it('forgets a ticket that leaves, whether or not the cost of its first call was known', () => {
    const line = new Line();
    const entry = (): Entry<{ lane: 0; tenant: 't'; weight: 1; arrived: 1 }> =>
      new Entry({ lane: 0, tenant: 't', weight: 1, arrived: 1 });
    const [stays, leaves] = [entry(), entry()];
    line.enter(stays, 1, true);
    line.enter(leaves, 0, true);
    line.leave(leaves, true);
    expect(line.lane(0).tenants.get('t')?.entries).toEqual([stays]);
  });
});
