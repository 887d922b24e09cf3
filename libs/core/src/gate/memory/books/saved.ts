/** What of an account outlives its process: numbers by name. Ages and durations in microseconds, up to when it was saved. */
export type Saved = Readonly<Record<string, number | readonly number[]>>;

/** The time between a save and the start that reads it. */
export interface Lapse {
  /** By the wall clock; never negative. */
  readonly agoUs: number;
  /** How far the wall clock was ahead of the gate's own time when it was saved. */
  readonly aheadUs: number;
}

/** @throws TypeError when there is no such number. */
export function numberOf(saved: Saved, name: string): number {
  const value = saved[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new TypeError(`No number "${name}".`);
  return value;
}

/** @throws TypeError when there are no such numbers. */
export function numbersOf(saved: Saved, name: string): readonly number[] {
  const value = saved[name];
  if (!Array.isArray(value) || !value.every((one) => Number.isFinite(one))) throw new TypeError(`No list "${name}".`);
  return value as readonly number[];
}

/** What was charged at which moment. */
export interface Entry {
  readonly time: number;
  readonly cost: number;
}

/** The smallest log whose every trailing window holds at least what that of each of the two holds. Both oldest first. */
export function atLeastBoth(one: readonly Entry[], other: readonly Entry[]): Entry[] {
  const merged: Entry[] = [];
  let i = one.length - 1;
  let j = other.length - 1;
  let ofOne = 0;
  let ofOther = 0;
  let total = 0;
  while (i >= 0 || j >= 0) {
    const time = Math.max(one[i]?.time ?? -Infinity, other[j]?.time ?? -Infinity);
    for (; i >= 0 && (one[i] as Entry).time === time; i -= 1) ofOne += (one[i] as Entry).cost;
    for (; j >= 0 && (other[j] as Entry).time === time; j -= 1) ofOther += (other[j] as Entry).cost;
    const cost = Math.max(ofOne, ofOther) - total;
    if (cost > 0) merged.push({ time, cost });
    total += cost > 0 ? cost : 0;
  }
  return merged.reverse();
}
