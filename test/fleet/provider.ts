/** A process of its own: the exact provider, whose log is the judge. */
import { setPriority } from 'node:os';
import { ProviderSimulator, type SimulatedRequest } from 'nestjs-sluice/testing';
import { latencyOf } from './latency.js';
import { type ProviderPlan, simulatedLimits } from './plan.js';
import { AHEAD, serve } from './remote.js';

/** One request as the provider saw it; moments are those of the machine's wall clock, in milliseconds. */
export interface Seen {
  readonly atMs: number;
  /** When it was answered, or its client left; null = neither. */
  readonly endedMs: number | null;
  readonly limited: boolean;
  readonly process: number;
  readonly lane: string;
  readonly tenant: string;
  readonly user: string;
  /** When its call came to its process. */
  readonly cameMs: number;
}

export interface Log {
  readonly seen: readonly Seen[];
  /** How late the provider's own loop was at most. */
  readonly latenessMs: number;
}

let provider: ProviderSimulator | null = null;

const verbs = {
  /** `port` 0 = one that is free. */
  async open({ plan, port }: { readonly plan: ProviderPlan; readonly port: number }): Promise<string> {
    provider = new ProviderSimulator({
      limits: simulatedLimits(plan),
      latencyMs: (_request: SimulatedRequest, random) => latencyOf(plan.latency, random.next()),
      afterDisconnect: 'finish',
    });
    await provider.start(port);
    return provider.url;
  },
  read(): Log {
    const { log, latenessMs } = provider as ProviderSimulator;
    const seen = log.map(({ atMs, endedAtMs, verdict, headers }): Seen => ({
      atMs: performance.timeOrigin + atMs,
      endedMs: endedAtMs === null ? null : performance.timeOrigin + endedAtMs,
      limited: verdict === 'limited',
      process: Number(headers['x-process']),
      lane: headers['x-lane'] ?? '',
      tenant: headers['x-tenant'] ?? '',
      user: headers['x-user'] ?? '',
      cameMs: Number(headers['x-came']),
    }));
    return { seen, latenessMs };
  },
  async close(): Promise<void> {
    await provider?.stop();
    provider = null;
  },
};

export type ProviderVerbs = typeof verbs;

try {
  setPriority(AHEAD);
} catch {
  // Not allowed to: then the run tells by its lateness whether it may judge.
}
serve(verbs);
