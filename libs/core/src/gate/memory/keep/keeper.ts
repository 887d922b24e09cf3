/** Keeps the stages of a memory gate in a store: reads them at the start, says when what changes is written, and the exact amounts at the end. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Cancel } from '../../../time/clock.js';
import { bounded, withReason } from '../../../time/bounded.js';
import { arm } from '../../../time/timers.js';
import { OwnAbort } from '../../../time/when-aborted.js';
import type { Book } from '../books/book.js';
import { Permits } from '../books/permits.js';
import type { Engine } from '../engine.js';
import type { Stage } from '../model.js';
import type { StageKeeper } from '../stages.js';
import { Ahead, PermitsAhead, UnitsAhead } from './ahead.js';
import { type Read, readBook } from './book-of-all.js';
import { OwnRows, type RowsDeps } from './own-rows.js';
import { restoreStage } from './read-stage.js';

/** What has changed is written after so long, if nothing presses before. */
const SAVE_EVERY_MS = 1_000;
/** Stages of one write. */
const STAGES_A_SAVE = 500;
/** What the store may take to answer at the start and at the end, and before somebody is told that it does not. */
const STORE_LIMIT_MS = 5_000;
/** Nothing here holds the async context of the caller who happened to set it off. */
const inRootContext = AsyncLocalStorage.snapshot();

export interface KeeperDeps extends RowsDeps {
  /** No other process works beside this one: whoever wrote before is gone. */
  readonly alone: boolean;
  readonly report: (what: string, error: unknown) => void;
  /** Somebody who waited for the store may ask again. */
  readonly told: () => void;
}

export class Keeper implements StageKeeper {
  ready = false;
  private loading: Promise<void> | null = null;
  private read: Read | null = null;
  private readonly rows: OwnRows;
  private readonly pressed = new Set<Stage>();
  private saving: Promise<void> | null = null;
  private cancelTimer: Cancel | null = null;
  /** Ends what waits for the store. */
  private readonly closing = new OwnAbort();
  private troubled = false;
  /** A write failed: the timer tries again, and nobody else. */
  private resting = false;
  private closed = false;

  constructor(private readonly deps: KeeperDeps) {
    this.rows = new OwnRows(deps);
    deps.engine.state.stages.keep(this);
  }

  private get stages(): Engine['state']['stages'] {
    return this.deps.engine.state.stages;
  }

  ahead(stage: Stage, book: Book): Ahead {
    const saver = { press: () => this.press(stage) };
    const ahead = book instanceof Permits ? new PermitsAhead(book, saver) : new UnitsAhead(book, saver);
    if (this.ready) ahead.begin(this.deps.now(), false, 0);
    return ahead;
  }

  private press(stage: Stage): void {
    this.stages.touch(stage);
    this.pressed.add(stage);
  }

  born(stage: Stage, now: number): void {
    if (!isKept(stage)) return;
    const { read } = this;
    const known = read?.take(stage.key) ?? null;
    const old = read !== null && known !== null && restoreStage(this.deps.engine.state, stage, known, now);
    const superseded = (this.deps.alone ? known?.keys : known?.endedKeys) ?? [];
    if (superseded.length > 0) this.rows.supersedes(stage, superseded);
    for (const book of stage.books) if (book instanceof Ahead) book.begin(now, !old, this.rows.ownerUntil);
    stage.unsaved = false;
    if (old || superseded.length > 0) this.stages.touch(stage);
  }

  /** What it had is all free again: it is forgotten, and may use only what a new one may before the store knows. */
  dropped(stage: Stage, now: number): void {
    if (!isKept(stage)) return;
    for (const book of stage.books) if (book instanceof Ahead) book.begin(now, true, this.rows.ownerUntil);
    stage.unsaved = false;
    this.pressed.delete(stage);
    this.rows.dropped(stage);
  }

  /** Resolves when the state is there; rejects where the store cannot tell it in time. Asked for again, it is read again. */
  whenReady(): Promise<void> {
    return this.withinLimit(this.start(), this.closed ? [] : [this.closing.signal]);
  }

  /** Begins to read, if that has not begun. */
  start(): Promise<void> {
    this.loading ??= inRootContext(() => this.load()).catch((error: unknown) => {
      this.loading = null;
      this.trouble('reading used amounts', error);
      throw error;
    });
    return this.loading;
  }

  private async load(): Promise<void> {
    const { used, clock, now, owner } = this.deps;
    const entries = await used.load();
    if (this.closed) return;
    const wallMs = clock.wallMs();
    const read = readBook(entries, owner, wallMs, now());
    this.read = read;
    if (read.unreadable > 0) {
      this.deps.report(
        'reading used amounts',
        new TypeError(`${read.unreadable} entries cannot be read: taken as full`),
      );
    }
    this.rows.gapWallMs = read.gapWallMs;
    this.rows.spareAll(this.deps.alone ? read.owners : read.endedOwners);
    const { whole } = this.stages;
    await this.rows.saveOwner(true);
    if (this.closed) return;
    this.born(whole, now());
    this.stages.touch(whole);
    // An operator sees it and may end it, before anybody has called.
    for (const stage of read.paused) this.stages.restore(stage, now());
    this.ready = true;
    await this.save();
  }

  /** To be called whenever the engine has worked. */
  look(): void {
    if (!this.ready || this.closed || this.resting || this.saving !== null) return;
    if (this.pressed.size > 0 || this.stages.pressing) void this.save();
    else if (this.cancelTimer === null && (this.stages.unsaved.length > 0 || this.rows.hasSpare)) this.armTimer();
  }

  private armTimer(): void {
    this.cancelTimer ??= arm(this.deps.clock, SAVE_EVERY_MS, () => {
      this.cancelTimer = null;
      this.resting = false;
      void this.save();
    });
  }

  private save(): Promise<void> {
    this.stopTimer();
    this.saving ??= inRootContext(() => this.saveSome())
      .catch((error: unknown) => this.trouble('saving used amounts', error))
      .finally(() => {
        this.saving = null;
        this.look();
      });
    return this.saving;
  }

  private async saveSome(): Promise<void> {
    const stages = this.takeUnsaved();
    const { clock, now } = this.deps;
    const lacking = new Set(stages.filter(hasRefused));
    const slow = arm(clock, STORE_LIMIT_MS, () => this.trouble('saving used amounts', new Error('The store is slow.')));
    try {
      // Later writes wait for it, however long it takes: an older word must not replace a newer one.
      if (this.rows.ownerIsDue) await this.rows.saveOwner(true);
      await this.rows.write(stages, false);
      await this.rows.forgetSpare();
    } catch (error) {
      for (const stage of stages) {
        for (const book of stage.books) if (book instanceof Ahead) book.failed();
        if (this.rows.isFlying(stage)) this.stages.touch(stage);
      }
      this.trouble('saving used amounts', error);
      this.resting = !this.closed;
      if (this.resting) this.armTimer();
      return;
    } finally {
      slow();
    }
    this.troubled = false;
    // Those who were refused while it was written may go on too.
    for (const stage of stages) if (hasRefused(stage)) lacking.add(stage);
    if (lacking.size === 0 || this.closed) return;
    this.deps.engine.recall(now(), lacking);
    this.deps.told();
  }

  private takeUnsaved(): readonly Stage[] {
    const { stages } = this;
    stages.pressing = false;
    const taken = new Set<Stage>();
    for (const stage of this.pressed) {
      if (taken.size === STAGES_A_SAVE) break;
      taken.add(stage);
      this.pressed.delete(stage);
    }
    while (taken.size < STAGES_A_SAVE && stages.unsaved.length > 0) {
      const stage = stages.unsaved.pop() as Stage;
      if (stage.unsaved) taken.add(stage);
    }
    for (const stage of taken) stage.unsaved = false;
    return [...taken];
  }

  /** Nothing is granted any more: the exact amounts are written, as far as the store takes them in time. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.stopTimer();
    this.closing.abort(new Error('The gate was closed before its store had answered.'));
    if (!this.ready) return;
    try {
      await this.withinLimit(this.writeAll(), []);
    } catch (error) {
      this.trouble('saving used amounts', error);
    }
  }

  private async writeAll(): Promise<void> {
    await this.saving;
    const { stages } = this;
    const all = [stages.whole, ...[...stages.all()].filter(isKept)];
    for (let i = 0; i < all.length; i += STAGES_A_SAVE) {
      await this.rows.write(all.slice(i, i + STAGES_A_SAVE), true);
    }
    while (this.rows.hasSpare) await this.rows.forgetSpare();
    await this.rows.saveOwner(false);
  }

  private withinLimit(work: Promise<void>, signals: readonly AbortSignal[]): Promise<void> {
    const late = (): Error => new Error(`The store of used amounts did not answer within ${STORE_LIMIT_MS} ms.`);
    return withReason(bounded(work, this.deps.clock, signals, STORE_LIMIT_MS, late));
  }

  private stopTimer(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
  }

  /** Told once, until it works again. */
  private trouble(what: string, error: unknown): void {
    if (this.troubled) return;
    this.troubled = true;
    this.deps.report(what, error);
  }
}

/** Ceilings and tenants' shares are wishes of our own: the provider counts nothing by them. */
function isKept({ template }: Stage): boolean {
  return template !== null && template.ceilingOf < 0 && template.shareOf < 0;
}

function hasRefused({ books }: Stage): boolean {
  return books.some((book) => book instanceof Ahead && book.lacked);
}
