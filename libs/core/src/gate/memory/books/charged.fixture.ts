/** Random histories of a bucket, some of whose charges turn out not to have been, and what it holds without those. */
import fc from 'fast-check';

export const RATE = 1;

export interface Charge {
  readonly at: number;
  cost: number;
}

interface Event {
  readonly afterUs: number;
  readonly cost: number;
  /** Which of the charges so far is taken out, if any, counted from the last. */
  readonly takes: number | null;
}

/** @param back how far back charges are taken out */
export const histories = (maxLength: number, back: number): fc.Arbitrary<readonly Event[]> =>
  fc.array(
    fc.record({
      afterUs: fc.integer({ min: 0, max: 8 }),
      cost: fc.integer({ min: 1, max: 10 }),
      takes: fc.option(fc.nat({ max: back }), { freq: 2 }),
    }),
    { maxLength },
  );

/** The level at `now` after these charges alone. */
export function replayed(charges: readonly Charge[], now: number): number {
  let level = 0;
  let last = 0;
  for (const { at, cost } of charges) {
    level = Math.max(0, level - (at - last) * RATE) + cost;
    last = at;
  }
  return Math.max(0, level - (now - last) * RATE);
}

/** What remembers charges, and says how much lower the level is without one of them. */
interface Memory {
  add(now: number, level: number, cost: number): void;
  takeOut(now: number, charge: Charge, level: number): number;
}

/** What the bucket holds and what it would hold had the charges that were taken out never been made, after each event. */
export function levelsOf(list: readonly Event[], memory: Memory): { readonly level: number; readonly exact: number }[] {
  const charges: Charge[] = [];
  let now = 0;
  let level = 0;
  return list.map(({ afterUs, cost, takes }) => {
    now += afterUs;
    level = Math.max(0, level - afterUs * RATE);
    const taken = takes === null ? undefined : charges[charges.length - 1 - takes];
    if (taken === undefined) {
      memory.add(now, level, cost);
      charges.push({ at: now, cost });
      level += cost;
    } else {
      level -= memory.takeOut(now, taken, level);
      taken.cost = 0;
    }
    return { level, exact: replayed(charges, now) };
  });
}
