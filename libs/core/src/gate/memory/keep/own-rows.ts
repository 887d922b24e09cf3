/** What this process writes in its provider's book, how long the store keeps each word, and which words nobody needs any more. */
import type { Clock } from '../../../time/clock.js';
import type { UsedBook, UsedEntry } from '../../used-book.js';
import type { Engine } from '../engine.js';
import type { Stage } from '../model.js';
import { Ahead } from './ahead.js';
import { ownerKey, stageKeyOf } from './book-of-all.js';
import type { OwnerRecord } from './record.js';
import { lastsMs, recordOf } from './write-stage.js';

/** Keys of one write that forgets them. */
const KEYS_A_SAVE = 2_000;
/** Whatever a record speaks of is over after twice the longest window and this. */
const KEPT_MORE_MS = 3_600_000;

export interface RowsDeps {
  readonly engine: Engine;
  readonly used: UsedBook;
  readonly clock: Clock;
  /** The gate's time. */
  readonly now: () => number;
  /** Of all that writes to this book, ever, nothing else bears this name. */
  readonly owner: string;
}

export class OwnRows {
  /** Wall time in ms of the latest start after a process that did not end in order; null = none is known. */
  gapWallMs: number | null = null;
  /** By the gate's time: until then the store keeps the word that this process is there. */
  ownerUntil = 0;
  /** Keys that nobody needs any more. */
  private readonly spare = new Set<string>();
  /** Keys of others that are not needed once this process has written of the stage itself. */
  private readonly superseded = new Map<Stage, readonly string[]>();
  /** What is being written now. */
  private readonly flying = new Set<Stage>();

  constructor(private readonly deps: RowsDeps) {}

  get hasSpare(): boolean {
    return this.spare.size > 0;
  }

  /** The word that this process is there is to be said again. */
  get ownerIsDue(): boolean {
    return this.deps.now() >= this.ownerUntil - this.keepUs / 4;
  }

  isFlying(stage: Stage): boolean {
    return this.flying.has(stage);
  }

  spareAll(keys: readonly string[]): void {
    for (const key of keys) this.spare.add(key);
  }

  supersedes(stage: Stage, keys: readonly string[]): void {
    this.superseded.set(stage, keys);
  }

  /** Nothing is to be said of the stage any more. */
  dropped(stage: Stage): void {
    this.flying.delete(stage);
    this.spare.add(stageKeyOf(this.deps.owner, stage.key));
    this.supersede(stage);
  }

  async write(stages: readonly Stage[], closing: boolean): Promise<void> {
    if (stages.length === 0) return;
    const { clock, engine, now, owner, used } = this.deps;
    const wallMs = clock.wallMs();
    const nowUs = now();
    this.flying.clear();
    let keepMs = this.keepUs / 1000;
    const entries: UsedEntry[] = stages.map((stage) => {
      const record = recordOf(engine.state, stage, nowUs, wallMs, closing);
      keepMs = Math.max(keepMs, lastsMs(record) + KEPT_MORE_MS);
      const key = stageKeyOf(owner, stage.key);
      this.spare.delete(key);
      this.flying.add(stage);
      return { key, value: JSON.stringify(record) };
    });
    await used.save(entries, keepMs);
    // One that was dropped meanwhile is forgotten next, and its row with it.
    for (const stage of this.flying) {
      this.supersede(stage);
      for (const book of stage.books) if (book instanceof Ahead) book.accept(nowUs + this.keepUs / 2);
    }
  }

  /** Says that this process is there: until it says that it has ended, it may have used what it had no need to tell. */
  async saveOwner(open: boolean): Promise<void> {
    const { clock, now, owner, used } = this.deps;
    const sentUs = now();
    const record: OwnerRecord = { wallMs: clock.wallMs(), open, gapMs: this.gapWallMs };
    await used.save([{ key: ownerKey(owner), value: JSON.stringify(record) }], this.keepUs / 1000);
    this.ownerUntil = sentUs + this.keepUs / 2;
  }

  async forgetSpare(): Promise<void> {
    if (this.spare.size === 0) return;
    const keys = [...this.spare].slice(0, KEYS_A_SAVE);
    await this.deps.used.save(
      keys.map((key) => ({ key, value: '' })),
      0,
    );
    for (const key of keys) this.spare.delete(key);
  }

  private supersede(stage: Stage): void {
    this.spareAll(this.superseded.get(stage) ?? []);
    this.superseded.delete(stage);
  }

  private get keepUs(): number {
    const { state } = this.deps.engine;
    let longestUs = 0;
    for (const limit of state.contract.limits) {
      if (limit.kind === 'concurrency') longestUs = Math.max(longestUs, limit.worksAfterTimeoutMs * 1000);
      else if (limit.kind === 'quota')
        longestUs = Math.max(longestUs, (limit.per === 'day' ? 1.1 : 32) * 86_400_000_000);
      else if (limit.kind === 'token-bucket')
        longestUs = Math.max(longestUs, (limit.burst / limit.limit) * limit.perMs * 1000);
      else longestUs = Math.max(longestUs, limit.perMs * 1000);
    }
    return 2 * (longestUs + state.contract.timeouts.attemptMs * 1000) + KEPT_MORE_MS * 1000;
  }
}
