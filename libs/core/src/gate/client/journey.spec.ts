import { Journeys } from './journey.js';

/** The gate's clock shows so much more. */
const AHEAD_MS = 1_000_000;

describe('how long ago the gate decided', () => {
  function journeys() {
    const all = new Journeys();
    const of = (sentMono: number, decidedMono: number, readMono: number) =>
      all.of(sentMono, (decidedMono + AHEAD_MS) * 1000, readMono);
    return { all, of };
  }

  it('is no longer than since its step was sent', () => {
    expect(journeys().of(100, 140, 150)).toEqual({ ageMs: 50, queuedMs: 0 });
  });

  it('is told by the quickest way that a step has made to it, however long the next one is let wait there', () => {
    const { of } = journeys();
    of(100, 101, 102);
    const { ageMs, queuedMs } = of(110, 140, 142);
    expect(ageMs).toBeCloseTo(3, 1);
    expect(queuedMs).toBeCloseTo(29, 1);
  });

  it('counts all that a reply was late on its way back', () => {
    const { of } = journeys();
    of(100, 101, 102);
    expect(of(110, 111, 141).ageMs).toBeCloseTo(31, 1);
  });

  it('is never told too short where the two clocks run apart by half a millisecond a second', () => {
    const { all } = journeys();
    const gateMs = (mono: number) => mono * 1.0005;
    all.of(0, gateMs(1) * 1000, 2);
    for (let sent = 1_000; sent < 60_000; sent += 1_000) {
      expect(all.of(sent, gateMs(sent + 20) * 1000, sent + 25).ageMs).toBeGreaterThanOrEqual(5 - 1e-6);
    }
  });

  it('is reckoned anew once the gate seems to have decided after its reply was read', () => {
    const { of } = journeys();
    of(100, 101, 102);
    expect(of(110, 211, 112).ageMs).toBeCloseTo(2, 5);
    expect(of(120, 221, 123).ageMs).toBeCloseTo(3, 1);
  });

  it('is reckoned anew once another gate answers', () => {
    const { all, of } = journeys();
    of(100, 101, 102);
    all.forget();
    expect(of(110, 115, 120).ageMs).toBe(10);
  });
});
