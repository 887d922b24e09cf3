/**
 * Credentials that a fleet renews as one: whoever has the lease gets new ones, the others wait and take over what came. What
 * Redis holds of them is what the user's serializer makes of it; without one it holds only that there are newer ones, and
 * each process asks its own `auth.credentials` for them. While Redis is away each process renews by itself.
 */
import {
  arm,
  type Cancel,
  type Clock,
  dateOf,
  type HeldCredentials,
  heldFrom,
  type Renewal,
  sameCredentials,
  type SharedCredentials,
  sleep,
} from '../../../core/src/index.js';
import { keyIn, type Place } from '../keys.js';
import type { Link } from '../link.js';
import type { Serializer } from '../options.js';
import { RENEW, RENEWED } from './scripts.js';

/** A lease whose process is gone ends after so long; one that is at work renews it three times as often. */
const LEASE_MS = 9_000;
/** Between two questions whether another process is done. */
const ASK_EVERY_MS = 100;
/** What is known of a partition's credentials is forgotten after so long. */
const KEPT_MS = 30 * 86_400_000;

const NOTHING = Buffer.alloc(0);

export interface SharedTokensDeps {
  readonly link: Link;
  readonly clock: Clock;
  readonly place: Place;
  readonly processId: string;
  readonly serializer: Serializer | null;
  readonly report: (what: string, error: unknown) => void;
}

type Word =
  | { readonly is: 'have'; readonly generation: string; readonly sealed: Buffer }
  | { readonly is: 'yours'; readonly generation: string }
  | { readonly is: 'wait' }
  | { readonly is: 'away' };

export class SharedTokens implements SharedCredentials {
  constructor(private readonly deps: SharedTokensDeps) {}

  async renew(renewal: Renewal): Promise<HeldCredentials> {
    const { clock } = this.deps;
    const untilMono = clock.monoMs() + renewal.limitMs;
    let known = '0';
    while (clock.monoMs() < untilMono) {
      const word = await this.ask(renewal.partition, known);
      if (word.is === 'away') return renewal.refresh();
      if (word.is === 'yours') return this.refresh(renewal, word.generation);
      if (word.is === 'wait') await sleep(clock, ASK_EVERY_MS);
      else {
        known = word.generation;
        const held = await this.taken(word.sealed, renewal);
        // They may be the very ones that were refused: this process got them another way.
        if (renewal.refused === null || !sameCredentials(held, renewal.refused)) return held;
      }
    }
    throw new Error('Another process took too long to renew the credentials.');
  }

  /** Asks for credentials newer than those of a generation, or for the lease. The owner of the lease keeps it by asking again. */
  private async ask(partition: string, generation: string): Promise<Word> {
    const { link, processId } = this.deps;
    const args = [processId, generation, String(LEASE_MS), String(KEPT_MS)];
    try {
      const reply = (await link.run(RENEW, { keys: [this.keyOf(partition)], args })) as readonly Buffer[];
      const [is, told, sealed] = reply;
      if (String(is) === 'wait') return { is: 'wait' };
      if (String(is) === 'yours') return { is: 'yours', generation: String(told) };
      return { is: 'have', generation: String(told), sealed: sealed as Buffer };
    } catch {
      return { is: 'away' };
    }
  }

  private async refresh({ partition, refresh }: Renewal, generation: string): Promise<HeldCredentials> {
    const letGo = this.keepLease(partition, generation);
    let held: HeldCredentials | null = null;
    try {
      held = await refresh();
      return held;
    } finally {
      letGo();
      await this.done(partition, held);
    }
  }

  private keepLease(partition: string, generation: string): Cancel {
    let cancel: Cancel = () => undefined;
    const next = (): void => {
      cancel = arm(this.deps.clock, LEASE_MS / 3, () => {
        void this.ask(partition, generation);
        next();
      });
    };
    next();
    return () => cancel();
  }

  private async done(partition: string, held: HeldCredentials | null): Promise<void> {
    const { link, processId } = this.deps;
    const args = [processId, held === null ? '0' : '1', this.sealed(held), String(KEPT_MS)];
    try {
      await link.run(RENEWED, { keys: [this.keyOf(partition)], args });
    } catch {
      // The lease runs out by itself.
    }
  }

  private sealed(held: HeldCredentials | null): Buffer {
    const { serializer, report } = this.deps;
    if (held === null || serializer === null) return NOTHING;
    const { headers, expiresAtMs } = held;
    const expiresAt = expiresAtMs === Infinity ? null : expiresAtMs;
    try {
      return Buffer.from(serializer.encode(Buffer.from(JSON.stringify({ headers, expiresAt }))));
    } catch (error) {
      report('serializer', error);
      return NOTHING;
    }
  }

  /** What another process got. */
  private async taken(sealed: Buffer, { reread, refused }: Renewal): Promise<HeldCredentials> {
    const { serializer, report } = this.deps;
    if (serializer === null || sealed.length === 0) return reread();
    try {
      const { headers, expiresAt } = JSON.parse(Buffer.from(serializer.decode(sealed)).toString()) as Sealed;
      const dated = expiresAt === null ? {} : { expiresAt: dateOf(expiresAt) };
      return heldFrom({ headers, ...dated }, (refused?.generation ?? 0) + 1);
    } catch (error) {
      report('serializer', error);
      return reread();
    }
  }

  private keyOf(partition: string): string {
    return keyIn(this.deps.place, `credentials:${partition}`);
  }
}

interface Sealed {
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAt: number | null;
}
