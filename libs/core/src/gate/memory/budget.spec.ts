import { concurrency, tokenBucket } from '../../contract/builders.js';
import { Lab, MINUTE, SECOND } from './lab.fixture.js';

const lab = (floor: number): Lab =>
  new Lab({ limits: [tokenBucket({ burst: 1000, limit: 1000, per: '1s' })], retry: { budget: { floor } } });
const retry = { kind: 'retry' } as const;

describe('the retry budget', () => {
  it('allows one retry for nine first attempts in the minute that ends now', () => {
    const of = lab(0);
    for (let i = 0; i < 8; i += 1) of.granted();
    expect(of.want(retry).denials[0]).toMatchObject({ reason: 'budget' });
    of.granted();
    of.granted(retry);
    expect(of.want(retry).denials).toHaveLength(1);
  });

  it('allows the floor in a minute, however few the first attempts', () => {
    const of = lab(2);
    of.granted(retry);
    of.granted(retry);
    expect(of.want(retry).denials).toHaveLength(1);
    of.at += MINUTE + 5 * SECOND;
    of.granted(retry);
  });

  it('looks at the calendar minute too: what came before it does not pay for retries in it', () => {
    const of = lab(0);
    of.at += 50 * SECOND;
    for (let i = 0; i < 90; i += 1) of.granted();
    of.at += 11 * SECOND;
    expect(of.want(retry).denials).toHaveLength(1);
    for (let i = 0; i < 9; i += 1) of.granted();
    of.granted(retry);
  });

  it('does not charge going again after a refusal', () => {
    const of = lab(0);
    for (let i = 0; i < 20; i += 1) of.granted({ kind: 'repeat' });
    expect(of.want(retry).denials).toHaveLength(1);
  });

  it('lets no more sleep than would fit', () => {
    const of = lab(0);
    const grants = Array.from({ length: 19 }, () => of.granted());
    const places = grants.map(
      (grant) => of.settle(grant, { health: 'failure', retry: { afterUs: SECOND, keepUs: 0 } }).settles[0]?.place,
    );
    expect(places.filter((place) => place !== null)).toHaveLength(2);
    expect(of.want(retry).denials).toHaveLength(1);
    of.granted({ ...retry, place: places[0] ?? null });
    of.granted({ ...retry, place: places[1] ?? null });
    expect(of.want(retry).denials).toHaveLength(1);
  });

  it('gives a place to the next when its sleeper gives up, or has not come in time', () => {
    const of = lab(1);
    const sleep = () => of.settle(of.granted(), { retry: { afterUs: SECOND, keepUs: 0 } }).settles[0]?.place ?? null;
    const place = sleep();
    expect(place).not.toBeNull();
    expect(sleep()).toBeNull();
    of.step({ commands: [{ type: 'release-place', place: place ?? '' }] });
    expect(sleep()).not.toBeNull();
    of.at += SECOND + MINUTE;
    expect(of.engine.inspect(0).budget?.places).toBe(1);
    of.step({});
    expect(sleep()).not.toBeNull();
  });

  it('lets a retry with a place wait where the minute has no room yet, and calls behind it pass', () => {
    const of = lab(0);
    of.at += 50 * SECOND;
    const grants = Array.from({ length: 9 }, () => of.granted());
    const place = of.settle(grants[0]!, { retry: { afterUs: 11 * SECOND, keepUs: 0 } }).settles[0]?.place ?? null;
    of.at += 11 * SECOND;
    const sleeper = of.head({ ...retry, place });
    const ticket = of.ticket();
    const reply = of.step({ asks: [{ ticket, waiting: 2, heads: [sleeper, of.head()], newestWaitedUs: 0 }] });
    expect(reply.grants).toHaveLength(1);
    expect(reply.waits[0]).toMatchObject({ cause: 'budget' });
  });

  it('law 6: a sleeper holds no permit', () => {
    const of = new Lab({ limits: [concurrency({ limit: 1 })] });
    of.settle(of.granted(), { health: 'failure', retry: { afterUs: MINUTE, keepUs: 0 } });
    of.granted();
  });

  it('does not count what was never sent', () => {
    const of = lab(1);
    of.settle(of.granted(retry), { end: 'not-sent', health: 'none' });
    of.granted(retry);
  });
});
