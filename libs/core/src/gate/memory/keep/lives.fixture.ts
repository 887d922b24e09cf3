/** One provider, a store, and the processes that use the provider one after the other: some end in order, some are killed. */
import { SeededRandom, type VirtualClock } from '../../../../../testing/src/index.js';
import type { ProviderOptions } from '../../../contract/options.js';
import type { Cancel, Clock } from '../../../time/clock.js';
import type { Admission, AdmissionRequest, Permit } from '../../admission.js';
import { createAdmission } from '../../client/create-admission.js';
import { contractOf, recorder, request, settlement } from '../../client/gates.fixture.js';
import type { UsedBook, UsedEntry } from '../../used-book.js';
import { memoryGate } from '../memory-gate.js';

/** The store's file: what has landed in it, whoever wrote it. */
export class File {
  readonly rows = new Map<string, { value: string; untilMs: number }>();
  writes = 0;

  constructor(
    private readonly clock: VirtualClock,
    private readonly latencyMs: () => number = () => 0,
  ) {}

  /** As one process sees it. What is under way when that process dies lands, or does not; the dead hear of neither, and do nothing more. */
  bookFor(life: { readonly dead: boolean }, landsAfterDeath: () => boolean = () => false): UsedBook {
    return {
      load: () => this.later(life, () => this.live()),
      save: (entries, keepMs) =>
        this.later(life, () => {
          if (life.dead && !landsAfterDeath()) return;
          this.writes += 1;
          const untilMs = this.clock.wallMs() + keepMs;
          for (const { key, value } of entries) {
            if (keepMs === 0) this.rows.delete(key);
            else this.rows.set(key, { value, untilMs });
          }
        }),
    };
  }

  private live(): UsedEntry[] {
    const nowMs = this.clock.wallMs();
    return [...this.rows].filter(([, row]) => row.untilMs > nowMs).map(([key, { value }]) => ({ key, value }));
  }

  private later<T>(life: { readonly dead: boolean }, work: () => T): Promise<T> {
    const ms = this.latencyMs();
    return new Promise((resolve) => {
      const land = (): void => {
        const answer = work();
        if (!life.dead) resolve(answer);
      };
      if (ms === 0) queueMicrotask(land);
      else this.clock.schedule(ms, land);
    });
  }
}

/** A clock whose timers end with their process. */
class OwnClock implements Clock {
  dead = false;

  constructor(private readonly clock: VirtualClock) {}

  wallMs(): number {
    return this.clock.wallMs();
  }

  monoMs(): number {
    return this.clock.monoMs();
  }

  schedule(delayMs: number, fn: () => void): Cancel {
    return this.clock.schedule(delayMs, () => {
      if (!this.dead) fn();
    });
  }
}

/** What the provider saw of one attempt. */
export interface Arrival {
  readonly atMs: number;
  readonly wallMs: number;
  readonly units: number;
  readonly account: string;
  /** When the provider is done with it. */
  readonly endsMs: number;
}

export type Options = Partial<ProviderOptions> & Pick<ProviderOptions, 'limits'>;

let lives = 0;

/** One process, from its start to its end. */
export class Life {
  readonly events = recorder();
  readonly admission: Admission;
  private readonly clock: OwnClock;

  constructor(
    private readonly world: VirtualClock,
    file: UsedBook | ((life: { readonly dead: boolean }) => UsedBook),
    options: Options,
    private readonly log: Arrival[],
    processes = 1,
  ) {
    this.clock = new OwnClock(world);
    lives += 1;
    this.admission = createAdmission({
      contract: contractOf(options),
      gate: memoryGate({ processes }),
      clock: this.clock,
      random: new SeededRandom(lives),
      events: this.events,
      processId: `life-${lives}`,
      used: typeof file === 'function' ? file(this.clock) : file,
    });
  }

  get dead(): boolean {
    return this.clock.dead;
  }

  /** Nothing of it is heard of again; what it has sent goes on at the provider. */
  kill(): void {
    this.clock.dead = true;
  }

  async close(): Promise<void> {
    await this.world.advanceUntil(this.admission.close());
  }

  /** One call that runs for so long at the provider. Resolves to how it ended here. */
  async call(
    overrides: Partial<AdmissionRequest> & { runMs?: number; units?: { requests: number } } = {},
  ): Promise<string> {
    const { runMs = 0, ...rest } = overrides;
    let permit: Permit;
    try {
      permit = await this.admission.admit(request({ attemptMs: 2_000, ...rest }));
    } catch (error) {
      return (error as { code?: string }).code ?? String(error);
    }
    if (this.dead) return 'killed';
    const atMs = this.world.monoMs();
    const units = rest.units?.requests ?? 1;
    const account = rest.partition?.['account'] ?? '';
    this.log.push({ atMs, wallMs: this.world.wallMs(), units, account, endsMs: atMs + runMs });
    if (runMs === 0) permit.settle(settlement());
    else this.clock.schedule(runMs, () => permit.settle(settlement()));
    return 'sent';
  }
}
