/** Who uses a provider now, and what was announced to all of them: kept up by a beat of each process. */
import { createHash } from 'node:crypto';
import { arm, type Cancel, type Clock, errorName, type ProviderPatch } from '../../../core/src/index.js';
import { keyIn, type Place } from '../keys.js';
import type { Link } from '../link.js';
import { ANNOUNCE, BEAT, LEAVE } from './scripts.js';

const BEAT_EVERY_MS = 5_000;
/** A process that was not heard of for so long is not there: three beats, and what a slow moment takes. */
const THERE_FOR_MS = 20_000;
/** What was announced is kept for so long after the last process has gone. */
const NEWS_KEPT_MS = 30 * 86_400_000;
/** Tries of an announcement that others come before. */
const MOST_TRIES = 10;

export interface RosterDeps {
  readonly link: Link;
  readonly clock: Clock;
  readonly place: Place;
  readonly provider: string;
  readonly processId: string;
  readonly report: (what: string, error: unknown) => void;
}

type NewsListener = (patch: ProviderPatch) => void;

export class Roster {
  private members: readonly string[] = [];
  private rosterVersion = '';
  private newsVersion = '0';
  private news: ProviderPatch | null = null;
  private readonly listeners = new Set<NewsListener>();
  private cancelBeat: Cancel = () => undefined;
  private beating: Promise<void> | null = null;
  /** How often others came whom no beat had seen, and how often that was when the last good beat began. */
  private comings = 0;
  private seenComings = 0;
  private closed = false;

  constructor(private readonly deps: RosterDeps) {
    void this.beat();
  }

  /** Where announcements are heard of at once. */
  get channel(): string {
    return keyIn(this.deps.place, 'news');
  }

  /** Processes that were there at the last beat; 0 = none was heard of yet. */
  get size(): number {
    return this.members.length;
  }

  /** Whether this process is the one that what cannot be divided is left to: all that know the same members choose the same. */
  get chosen(): boolean {
    if (this.seenComings < this.comings) return false;
    const { provider, processId } = this.deps;
    let best = '';
    let bestId = '';
    for (const id of this.members) {
      const rank = createHash('sha256').update(`${provider}\0${id}`).digest('hex');
      if (rank > best) [best, bestId] = [rank, id];
    }
    return bestId === processId;
  }

  /** Says that this process is there, and reads what is new. One at a time. */
  beat(): Promise<void> {
    if (this.beating !== null || this.closed) return this.beating ?? Promise.resolve();
    this.cancelBeat();
    this.beating = this.beatOnce().finally(() => {
      this.beating = null;
      if (this.closed) return;
      this.cancelBeat = arm(this.deps.clock, BEAT_EVERY_MS, () => void this.beat());
    });
    return this.beating;
  }

  /** Others have come since the last beat: until the next has seen them, this process is not the one that is chosen. */
  expectOthers(): void {
    this.comings += 1;
    void (this.beating ?? Promise.resolve()).then(() => this.beat());
  }

  /** Told of what was announced, and of each announcement that comes. */
  onNews(listener: NewsListener): Cancel {
    this.listeners.add(listener);
    if (this.news !== null) listener(this.news);
    return () => this.listeners.delete(listener);
  }

  /**
   * Announces new numbers to all processes, and those that start later.
   *
   * @param join puts a patch after another
   * @throws where Redis does not answer in time, or too many announce at once.
   */
  async announce(
    patch: ProviderPatch,
    join: (earlier: ProviderPatch, later: ProviderPatch) => ProviderPatch,
  ): Promise<void> {
    const { link, place } = this.deps;
    const command = place.sharded ? 'SPUBLISH' : 'PUBLISH';
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const joined = join(this.news ?? {}, patch);
      const args = [this.newsVersion, JSON.stringify(joined), String(NEWS_KEPT_MS), this.channel, command];
      const reply = await link.run(ANNOUNCE, { keys: [keyIn(place, 'fleet')], args });
      const [done, version, text] = textsOf(reply);
      if (done === '1') {
        this.newsVersion = version ?? '0';
        this.news = joined;
        return;
      }
      this.read(version ?? '0', text ?? '');
    }
    throw new Error('Too many announcements at once.');
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.cancelBeat();
    this.listeners.clear();
    const { link, processId } = this.deps;
    // It would be missed after a while in any case.
    link.run(LEAVE, { keys: this.keys, args: [processId] }).catch(() => undefined);
  }

  private get keys(): readonly string[] {
    const { place } = this.deps;
    return [keyIn(place, 'roster'), keyIn(place, 'fleet')];
  }

  private async beatOnce(): Promise<void> {
    const { link, processId } = this.deps;
    const { comings } = this;
    const args = [processId, String(THERE_FOR_MS), String(NEWS_KEPT_MS), this.rosterVersion, this.newsVersion];
    try {
      const [roster, version, text, ...members] = textsOf(await link.run(BEAT, { keys: this.keys, args }));
      if (members.length > 0) {
        this.members = members;
        this.rosterVersion = roster ?? '';
      }
      this.seenComings = comings;
      if (text !== '') this.read(version ?? '0', text ?? '');
    } catch {
      // The gate's own steps tell that Redis is away; the members are those of the last good beat.
    }
  }

  private read(version: string, text: string): void {
    if (version === this.newsVersion || text === '') return;
    this.newsVersion = version;
    try {
      this.news = JSON.parse(text) as ProviderPatch;
    } catch (error) {
      this.deps.report('fleet update', new SyntaxError(errorName(error)));
      return;
    }
    for (const listener of this.listeners) listener(this.news);
  }
}

function textsOf(reply: unknown): string[] {
  return (reply as readonly unknown[]).map((part) => String(part));
}
