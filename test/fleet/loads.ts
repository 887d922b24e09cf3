/** What the processes of a workload want of the provider. */
import type { SeededRandom } from 'nestjs-sluice/testing';

export interface Load {
  readonly lane: string;
  readonly tenant: string;
  readonly pattern:
    | { readonly kind: 'at-once'; readonly calls: number }
    | { readonly kind: 'poisson'; readonly perSecond: number; readonly forMs: number }
    /** So many wait at any time. */
    | { readonly kind: 'saturating'; readonly waiting: number; readonly forMs: number };
  /** Users that the calls are spread over, few of them often: account and tenant (0 = none) go with the user. Default: one user. */
  readonly users?: { readonly count: number; readonly accounts: number; readonly tenants: number };
  /** Share of the calls that give up, at a random moment of their first `withinMs`. Default: none. */
  readonly leaving?: { readonly share: number; readonly withinMs: number };
}

export interface Call {
  readonly lane: string;
  readonly tenant: string;
  readonly user: string;
  readonly account: string;
  /** When it gives up; null = it does not. */
  readonly leavesAfterMs: number | null;
}

export function callOf(load: Load, random: SeededRandom): Call {
  const { lane, tenant, users, leaving } = load;
  const leavesAfterMs =
    leaving !== undefined && random.next() < leaving.share ? random.next() * leaving.withinMs : null;
  if (users === undefined) return { lane, tenant, user: 'u0', account: 'a0', leavesAfterMs };
  const user = unevenly(users.count, random.next());
  const of = (letter: string, count: number) => `${letter}${user % count}`;
  const tenantOf = users.tenants === 0 ? '' : of('t', users.tenants);
  return { lane, tenant: tenantOf, user: `u${user}`, account: of('a', users.accounts), leavesAfterMs };
}

/** The first few of them are drawn often, the many rarely. */
function unevenly(count: number, chance: number): number {
  return Math.floor(chance ** 1.5 * count);
}

/** What a load goes by: real time, or that of a model. */
export interface Pace {
  nowMs(): number;
  sleep(ms: number): Promise<void>;
  /** What it takes to start a call: those that come at once come one after the other. */
  readonly startMs: number;
}

export const realTime: Pace = {
  nowMs: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
  startMs: 0,
};

/** Calls `start` as the pattern says; resolves when all it started have ended. */
export async function follow(
  load: Load,
  random: SeededRandom,
  pace: Pace,
  start: (call: Call) => Promise<void>,
): Promise<void> {
  const { pattern } = load;
  const one = () => start(callOf(load, random));
  switch (pattern.kind) {
    case 'at-once':
      await Promise.all(await atOnce(pattern.calls, pace, one));
      return;
    case 'saturating': {
      const untilMs = pace.nowMs() + pattern.forMs;
      const onAndOn = async () => {
        while (pace.nowMs() < untilMs) await one();
      };
      await Promise.all(Array.from({ length: pattern.waiting }, onAndOn));
      return;
    }
    case 'poisson':
      await Promise.all(await poisson(pattern, random, pace, one));
  }
}

async function atOnce(calls: number, pace: Pace, one: () => Promise<void>): Promise<Promise<void>[]> {
  const all: Promise<void>[] = [];
  for (let i = 0; i < calls; i += 1) {
    all.push(one());
    if (pace.startMs > 0) await pace.sleep(pace.startMs);
  }
  return all;
}

async function poisson(
  { perSecond, forMs }: { perSecond: number; forMs: number },
  random: SeededRandom,
  pace: Pace,
  one: () => Promise<void>,
): Promise<Promise<void>[]> {
  const all: Promise<void>[] = [];
  const fromMs = pace.nowMs();
  const gapMs = () => (-Math.log(1 - random.next()) / perSecond) * 1_000;
  for (let atMs = gapMs(); atMs < forMs; atMs += gapMs()) {
    const waitMs = fromMs + atMs - pace.nowMs();
    if (waitMs > 0) await pace.sleep(waitMs);
    all.push(one());
  }
  return all;
}
