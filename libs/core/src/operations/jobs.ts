import type { Clock } from '../time/clock.js';
import { arm } from '../time/timers.js';
import type { HeldOperation } from './hold-keeper.js';

/** What was told to stop gets so long to end by itself, in ms; then it is given back whether it has ended or not. */
const LAST_WORDS_MS = 1_000;

/** One operation in work. */
export interface Job {
  readonly held: HeldOperation;
  /** Aborted when the process stops and the grace is over. */
  readonly stop: AbortSignal;
  /** It was given back while it ran on: its end is nobody's business any more. */
  readonly isGone: boolean;
}

export interface JobWork {
  /** Must not reject. */
  perform(job: Job): Promise<void>;
  /** Must not reject. */
  giveBack(): Promise<void>;
}

interface Entry extends Job {
  isGone: boolean;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
  giveUp(): void;
}

/** What a worker or a reconciler has in hand. */
export class Jobs {
  isStopping = false;
  private readonly entries = new Set<Entry>();

  constructor(
    private readonly clock: Clock,
    /** Why what runs is told to stop. */
    private readonly reason: () => Error,
    /** One ended, and there is room for the next. */
    private readonly onRoom: () => void,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  begin(held: HeldOperation, work: JobWork): void {
    const controller = new AbortController();
    let giveUp: () => void = () => undefined;
    const given = new Promise<void>((resolve) => {
      giveUp = () => {
        entry.isGone = true;
        // From now on its journal lets nothing leave.
        held.lost();
        void work.giveBack().then(resolve);
      };
    });
    const start = (): Promise<void> => work.perform(entry);
    const ended = Promise.race([Promise.resolve().then(start), given]).then(() => {
      this.entries.delete(entry);
      if (!this.isStopping) this.onRoom();
    });
    const entry: Entry = { held, stop: controller.signal, isGone: false, controller, ended, giveUp };
    this.entries.add(entry);
  }

  /** Resolves when nothing is in hand any more, a second after the grace at the latest. */
  async stop(graceMs: number, lastTaken: Promise<void>): Promise<void> {
    this.isStopping = true;
    const timers = [
      arm(this.clock, graceMs, () => this.entries.forEach(({ controller }) => controller.abort(this.reason()))),
      arm(this.clock, graceMs + LAST_WORDS_MS, () => this.entries.forEach((entry) => entry.giveUp())),
    ];
    await lastTaken;
    await Promise.all([...this.entries].map(({ ended }) => ended));
    for (const cancel of timers) cancel();
  }
}
