import type { GateChange } from '../port.js';
import { Journeys } from './journey.js';

/** The gate's clock shows so much more. */
const AHEAD_MS = 1_000_000;

describe('how long ago the gate decided', () => {
  function journeys() {
    const all = new Journeys();
    const at = (gateMs: number, changes: GateChange[] = []) => ({ nowUs: gateMs * 1000, changes });
    const of = (sentMono: number, decidedMono: number, readMono: number, changes?: GateChange[]) =>
      all.of(sentMono, at(decidedMono + AHEAD_MS, changes), readMono);
    return { all, at, of };
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
    const { all, at } = journeys();
    const gateMs = (mono: number) => mono * 1.0005;
    all.of(0, at(gateMs(1)), 2);
    for (let sent = 1_000; sent < 60_000; sent += 1_000) {
      expect(all.of(sent, at(gateMs(sent + 20)), sent + 25).ageMs).toBeGreaterThanOrEqual(5 - 1e-6);
    }
  });

  it('is reckoned anew once the gate seems to have decided after its reply was read', () => {
    const { of } = journeys();
    of(100, 101, 102);
    expect(of(110, 211, 112).ageMs).toBeCloseTo(2, 5);
    expect(of(120, 221, 123).ageMs).toBeCloseTo(3, 1);
  });

  it('is reckoned anew once another gate answers', () => {
    const { of } = journeys();
    of(100, 101, 102);
    expect(of(110, 115, 120, [{ type: 'store-away', error: 'SILENT' }]).ageMs).toBe(10);
    expect(of(130, 135, 140, [{ type: 'store-back', awayUs: 1 }]).ageMs).toBe(10);
    expect(of(150, 155, 160).ageMs).toBe(10);
  });
});
