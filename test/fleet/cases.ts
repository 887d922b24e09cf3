/** What is asked of each workload. */
import {
  arrivedIn,
  guarded,
  percentile,
  shareOfBucket,
  shareOfBurst,
  shareOfPermits,
  shareOfWindows,
  waitsOf,
} from './judge.js';
import type { Seen } from './provider.js';
import { w1, W1, w2, W2, w3, W3, w4, W4, w5, W5, w6, W6, w7, W7, w8, W8, w9, W9, w11, W11 } from './workloads.js';
import { partitions, PARTITIONS } from './partitions.js';
import type { Workload } from './world.js';

export interface Run {
  readonly seen: readonly Seen[];
  readonly fromMs: number;
}

export interface Case {
  readonly name: string;
  readonly says: string;
  readonly workload: Workload;
  /** Share of what the limits allow. */
  readonly used: (run: Run) => number;
  readonly usedAtLeast: number;
  /** By call; null = shown only. */
  readonly commandsAtMost: number | null;
  /** Whose waits must be short. */
  readonly quick?: { readonly of: (seen: Seen) => boolean; readonly p99Ms: number };
}

/** What B' and r' allow is used to so much. */
const USED = 0.98;
/** Time that permits are in use, where answers take heavy-tailed times. */
const PERMITS_USED = 0.95;
const PACED = 3.2;
/** At the end of a minute a call may be on its way. */
const ON_ITS_WAY = 1;
/** Of a bucket that holds one call, what is lost while its first waiter is dead. */
const LOST_AT_BURST_ONE = 0.025;
const NO_BAR = 0;
/** The first second of a run is the machine's own. */
const WARM_MS = 1_000;

export function casesOf(tenants: boolean): readonly Case[] {
  return [
    {
      name: 'W1',
      says: '120 calls at once take as long as their bucket does',
      workload: w1(tenants),
      used: ({ seen }) => shareOfBurst(seen, W1.burst, W1.perSecond, W1.kept),
      usedAtLeast: USED,
      commandsAtMost: 2.2,
    },
    {
      name: 'W2',
      says: 'interactive calls hardly wait while background saturates',
      workload: w2(tenants),
      used: (run) => shareSince(run, W2),
      usedAtLeast: USED,
      commandsAtMost: PACED,
      quick: { of: ({ lane }) => lane === 'interactive', p99Ms: 60 },
    },
    {
      name: 'W3',
      says: 'more is wanted than there is, by one tenant a hundred times as much as by each other',
      workload: w3(tenants),
      used: (run) => shareSince(run, W3),
      usedAtLeast: USED,
      commandsAtMost: PACED,
      ...(tenants && { quick: { of: ({ tenant }: Seen) => tenant.startsWith('quiet'), p99Ms: 200 } }),
    },
    {
      name: 'W4',
      says: 'permits are in use though answers take heavy-tailed times, until two processes are killed',
      workload: w4(tenants),
      used: ({ seen, fromMs }) => shareOfPermits(seen, W4.permits, fromMs + WARM_MS, fromMs + W4.killedAtMs),
      usedAtLeast: PERMITS_USED,
      commandsAtMost: PACED,
    },
    {
      name: 'W5',
      says: 'a high rate takes few commands',
      workload: w5(tenants),
      used: (run) => shareSince(run, W5),
      usedAtLeast: USED,
      commandsAtMost: 0.7,
    },
    ...(['sliding-window', 'fixed-window'] as const).map((truly) => ({
      name: `W6 ${truly}`,
      says: `a window of an unknown kind, truly a ${truly}, is filled again and again`,
      workload: w6(tenants, truly),
      used: ({ seen }: Run) => shareOfWindows(seen, W6.limit, W6.perMs),
      usedAtLeast: USED,
      commandsAtMost: PACED,
    })),
    {
      name: 'W7',
      says: 'what three in ten leave behind goes to the others',
      workload: w7(tenants),
      used: ({ seen }) => shareOfBurst(seen, W7.burst, W7.perSecond, W7.kept),
      usedAtLeast: USED,
      commandsAtMost: PACED,
    },
    {
      name: 'W8',
      says: '2,000 calls after a rest take as long as their bucket does',
      workload: w8(tenants),
      used: ({ seen }) => shareOfBurst(seen, W8.burst, W8.perSecond, W8.kept),
      usedAtLeast: USED,
      commandsAtMost: PACED,
    },
    {
      name: 'W9 burst 10',
      says: 'no grant is lost where two processes are killed and two others frozen',
      workload: w9(tenants, 10),
      used: (run) => grantedOf(run, 10, ON_ITS_WAY),
      usedAtLeast: 1,
      commandsAtMost: PACED,
    },
    {
      name: 'W9 burst 1',
      says: 'of a bucket that holds one call, hardly a grant is lost where two processes are killed and two others frozen',
      workload: w9(tenants, 1),
      used: (run) => grantedOf(run, 1, ON_ITS_WAY),
      usedAtLeast: 1 - LOST_AT_BURST_ONE,
      // The place of a dead process is noticed within a second: all look that often.
      commandsAtMost: null,
    },
    {
      name: 'W11 40/s',
      says: 'what comes evenly and fits does not wait',
      workload: w11(tenants, 40),
      used: (run) => shareSince(run, W11),
      usedAtLeast: NO_BAR,
      commandsAtMost: PACED,
      quick: { of: () => true, p99Ms: 60 },
    },
    {
      name: 'W11 60/s',
      says: 'what comes evenly and does not fit uses what there is',
      workload: w11(tenants, 60),
      used: (run) => shareSince(run, W11),
      usedAtLeast: USED,
      commandsAtMost: PACED,
    },
    {
      name: 'partitions 150/s',
      says: '2,000 users with limits of their own, within the limits of all',
      workload: partitions(tenants, 150, false),
      used: (run) => shareSince(run, PARTITIONS),
      usedAtLeast: NO_BAR,
      commandsAtMost: 4.5,
    },
    {
      name: 'partitions 300/s, accounts',
      says: '2,000 users of 50 accounts want more than there is',
      workload: partitions(tenants, 300, true),
      used: (run) => shareSince(run, PARTITIONS),
      usedAtLeast: USED,
      commandsAtMost: 4.5,
    },
  ];
}

interface Bucket {
  readonly burst: number;
  readonly perSecond: number;
  readonly kept?: number;
  readonly forMs: number;
}

/** While calls come. */
function shareSince({ seen, fromMs }: Run, { burst, perSecond, kept = 0, forMs }: Bucket): number {
  return shareOfBucket(seen, burst, perSecond, fromMs, fromMs + forMs, kept);
}

/** Calls that the minute saw, and those `onTheWay`, of all whole ones that it allows. */
function grantedOf({ seen, fromMs }: Run, burst: number, onTheWay: number): number {
  const allowed = guarded(burst, W9.perSecond);
  const whole = Math.floor(allowed.burst + allowed.perMs * W9.forMs);
  return (arrivedIn(seen, fromMs, fromMs + W9.forMs) + onTheWay) / whole;
}

export function p99Of(seen: readonly Seen[], of: (seen: Seen) => boolean): number {
  return percentile(waitsOf(seen.filter(of)), 0.99);
}
