/** Runs a workload: processes, provider and Redis, all real. */
import { freePort } from '../../scripts/redis-server.mjs';
import type { Compiled } from '../support/compiled.js';
import type { ClientVerbs, Ends } from './client.js';
import type { Load } from './loads.js';
import { GUARD_MS, type ProviderPlan } from './plan.js';
import type { ProviderVerbs, Seen } from './provider.js';
import { Remote } from './remote.js';
import { type Commands, Store } from './store.js';

/** What the spec compiles, so that processes can start from it. */
export const PROGRAMS = ['client', 'provider', 'latency', 'loads', 'plan', 'remote'].map(
  (name) => `test/fleet/${name}.ts`,
);

/** What happens to a process while it runs. */
export interface Mishap {
  readonly process: number;
  readonly atMs: number;
  readonly kind: 'killed' | 'frozen';
  /** How long it is frozen. */
  readonly forMs?: number;
}

export interface Workload {
  readonly plan: ProviderPlan;
  readonly processes: number;
  readonly loadsOf: (process: number) => readonly Load[];
  readonly mishaps?: readonly Mishap[];
}

export interface Outcome {
  readonly seen: readonly Seen[];
  /** When the calls began, by the wall clock. */
  readonly fromMs: number;
  /** Of the processes that lived to the end. */
  readonly ends: Ends;
  readonly commands: Commands;
  readonly latenessMs: number;
}

/** From the order to start until the start: all processes are there then. */
const READY_MS = 250;
/** What ends last is told to Redis within so long. */
const SETTLED_MS = 150;
const TRIES = 3;

/** The processes are kept from one workload to the next; those that were killed are replaced. */
export class Fleet {
  private readonly clients: (Remote<ClientVerbs> | null)[] = [];
  private provider: Remote<ProviderVerbs> | null = null;

  constructor(private readonly compiled: Compiled) {}

  /** A run whose provider was late is void: it is said, and repeated at most {@link TRIES} times in all. */
  async run(name: string, workload: Workload): Promise<Outcome> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.runOnce(workload, attempt);
      if (outcome.latenessMs <= GUARD_MS / 2) return outcome;
      const late = `the provider's own loop was late by ${outcome.latenessMs.toFixed(1)} ms`;
      if (attempt === TRIES) throw new Error(`${name}: void ${TRIES} times; in the last ${late}.`);
      console.log(`${name}: void, ${late}`);
    }
  }

  async end(): Promise<void> {
    await Promise.all([...this.clients, this.provider].map((remote) => remote?.end()));
  }

  private async runOnce({ plan, processes, loadsOf, mishaps = [] }: Workload, seed: number): Promise<Outcome> {
    const store = await Store.start();
    this.provider ??= await Remote.start<ProviderVerbs>(this.compiled.program('test/fleet/provider.ts'));
    const { provider } = this;
    try {
      const clients = await this.start(processes);
      const port = await freePort();
      const opening = { processes, plan, url: `http://127.0.0.1:${port}`, redisUrl: store.url };
      await Promise.all(clients.map((client, process) => client.ask('open', { process, ...opening })));
      await store.startCounting();
      // It watches its own loop from now on: what it takes to start the processes is no part of the run.
      await provider.ask('open', { plan, port });
      const fromMs = wallMs() + READY_MS;
      const timers = mishaps.map((mishap) => this.befall(mishap, fromMs));
      const killed = new Set(mishaps.filter(({ kind }) => kind === 'killed').map(({ process }) => process));
      const all = await Promise.all(
        clients.map((client, process) => {
          const ends = client.ask('run', { loads: loadsOf(process), seed: seed * 100 + process, fromMs });
          return killed.has(process) ? ends.catch(() => null) : ends;
        }),
      );
      for (const timer of timers) clearTimeout(timer);
      await sleep(SETTLED_MS);
      const commands = await store.commands();
      const { seen, latenessMs } = await provider.ask('read');
      await Promise.all(this.clients.map((client) => client?.ask('close')));
      return { seen, fromMs, ends: joined(all.filter((ends) => ends !== null)), commands, latenessMs };
    } finally {
      await provider.ask('close');
      store.stop();
    }
  }

  private start(processes: number): Promise<Remote<ClientVerbs>[]> {
    const program = this.compiled.program('test/fleet/client.ts');
    const started = Array.from({ length: processes }, async (_, process) => {
      const client = this.clients[process] ?? (await Remote.start<ClientVerbs>(program));
      this.clients[process] = client;
      return client;
    });
    return Promise.all(started);
  }

  private befall({ process, atMs, kind, forMs = 0 }: Mishap, fromMs: number): NodeJS.Timeout {
    return setTimeout(
      () => {
        const client = this.clients[process];
        if (kind === 'killed') {
          client?.signal('SIGKILL');
          this.clients[process] = null;
          return;
        }
        client?.signal('SIGSTOP');
        setTimeout(() => client?.signal('SIGCONT'), forMs);
      },
      fromMs + atMs - wallMs(),
    );
  }
}

function joined(all: readonly Ends[]): Ends {
  return {
    succeeded: all.reduce((sum, { succeeded }) => sum + succeeded, 0),
    left: all.reduce((sum, { left }) => sum + left, 0),
    failures: all.flatMap(({ failures }) => failures),
  };
}

function wallMs(): number {
  return performance.timeOrigin + performance.now();
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
