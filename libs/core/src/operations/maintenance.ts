import type { ProviderRuntime } from '../pipeline/runtime.js';
import { Loop, type StepEnd } from './loop.js';
import type { OperationStore } from './port.js';
import type { Moved } from './port/operation.js';
import type { StoreAccess } from './store-access.js';
import type { OperationWatch } from './watch.js';

/** What is done in one step of the store, at most: others have to wait for it. */
const SLICE = 100;
/** How often old work is looked for, in ms. */
const TIDY_EVERY_MS = 60_000;
/** Stage of the gate for the whole provider. */
const WHOLE = '*';

export interface MaintenanceDeps {
  readonly access: StoreAccess;
  readonly watch: OperationWatch;
  readonly pollMs: number;
  /** Those of this process. */
  runtimes(): Iterable<ProviderRuntime>;
}

/** Takes back what dead processes held, gives up what a pause has held up for too long, forgets what ended long ago. */
export class Maintenance {
  private readonly loop: Loop;
  private tidyMono = 0;

  constructor(private readonly deps: MaintenanceDeps) {
    const { access, pollMs, watch } = deps;
    this.loop = new Loop(access.clock, pollMs, () => this.step(), (error) => watch.failed(null, 'maintenance', error)); // prettier-ignore
  }

  start(): void {
    this.tidyMono = this.deps.access.clock.monoMs();
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  private async step(): Promise<StepEnd> {
    const { access } = this.deps;
    const { clock } = access;
    const recovered = await this.moving(null, (store) => store.recover(SLICE));
    let isMore = recovered >= SLICE;
    if (clock.monoMs() >= this.tidyMono) {
      const purged = await access.ask(null, (store) => store.purge(SLICE));
      const isFlushing = await this.flush();
      if (purged >= SLICE || isFlushing) isMore = true;
      else this.tidyMono = clock.monoMs() + TIDY_EVERY_MS;
    }
    return isMore ? 0 : null;
  }

  /** True = there is more. One gate that does not answer holds up no other. */
  private async flush(): Promise<boolean> {
    let isMore = false;
    for (const runtime of this.deps.runtimes()) {
      const { name: provider, dimensions, pause } = runtime.contract;
      try {
        const { gate } = await runtime.admission.inspect();
        for (const { stage, lastedMs } of gate.pauses) {
          const partition = partitionOf(stage, dimensions);
          if (lastedMs < pause.flushAfterMs || partition === undefined) continue;
          const query = { provider, partition, olderThanMs: pause.flushAfterMs, limit: SLICE };
          const flushed = await this.moving(provider, (store) => store.flush(query));
          isMore ||= flushed >= SLICE;
        }
      } catch (error) {
        this.deps.watch.failed(provider, 'flush', error);
      }
    }
    return isMore;
  }

  /** How many it moved. */
  private async moving(
    provider: string | null,
    ask: (store: OperationStore) => Promise<readonly Moved[]>,
  ): Promise<number> {
    const { access, watch } = this.deps;
    const tell = (moved: readonly Moved[]): void => moved.forEach((move) => watch.moved(move));
    return (await access.hear(provider, ask, tell)).length;
  }
}

/** The partition of the store that a stage of the gate holds up; undefined = work of the store is not told apart by it. */
function partitionOf(stage: string, dimensions: readonly string[]): string | null | undefined {
  if (stage === WHOLE) return null;
  const isDimension = (part: string): boolean => dimensions.some((dimension) => part.startsWith(`${dimension}=`));
  return stage.split('&').every(isDimension) ? stage : undefined;
}
