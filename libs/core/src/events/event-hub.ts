import { channel } from 'node:diagnostics_channel';
import type { Cancel } from '../time/clock.js';
import type { EventSink, SluiceEvent, SluiceListener } from './events.js';

/** Name of the `node:diagnostics_channel` on which every event of every application of the process is published. */
export const DIAGNOSTICS_CHANNEL = 'nestjs-sluice';

const diagnostics = channel(DIAGNOSTICS_CHANNEL);

/**
 * The events of one application. Costs nothing while nobody listens. A listener that throws or rejects never reaches the
 * call: the other listeners are told by a `hook-failed` event. (A subscriber of the diagnostics channel that throws
 * follows Node's rule for such channels: an `uncaughtException` in a later tick.)
 */
export class EventHub implements EventSink {
  private readonly listeners = new Set<SluiceListener>();
  private readonly watchers = new Set<SluiceListener>();

  get active(): boolean {
    return this.listeners.size > 0 || diagnostics.hasSubscribers;
  }

  subscribe(listener: SluiceListener): Cancel {
    // A function of its own, so that the same listener may be subscribed twice and each subscription be ended alone.
    const entry: SluiceListener = (event) => listener(event);
    this.listeners.add(entry);
    return () => void this.listeners.delete(entry);
  }

  /** Hears of `guess` and `hook-failed` alone: calls that go well still cost nothing. */
  watchTrouble(listener: SluiceListener): Cancel {
    this.watchers.add(listener);
    return () => void this.watchers.delete(listener);
  }

  emit(build: () => SluiceEvent, trouble?: 'trouble'): void {
    const watched = trouble !== undefined && this.watchers.size > 0;
    if (!this.active && !watched) return;
    let event: SluiceEvent;
    try {
      event = build();
    } catch {
      return;
    }
    if (diagnostics.hasSubscribers) diagnostics.publish(event);
    for (const listener of this.listeners) this.tell(listener, event);
    if (watched) for (const watcher of this.watchers) this.tell(watcher, event);
  }

  private tell(listener: SluiceListener, event: SluiceEvent): void {
    try {
      const given: unknown = listener(event);
      if (isThenable(given)) given.then(undefined, (error: unknown) => this.report(listener, event, error));
    } catch (error) {
      this.report(listener, event, error);
    }
  }

  /** Tells the others; a failure while telling of a failure ends there, or two broken listeners would go on for ever. */
  private report(failed: SluiceListener, about: SluiceEvent, error: unknown): void {
    if (about.type === 'hook-failed') return;
    const event: SluiceEvent = {
      type: 'hook-failed',
      provider: about.provider,
      at: about.at,
      hook: `listener of ${about.type}`,
      error: errorName(error),
    };
    if (diagnostics.hasSubscribers) diagnostics.publish(event);
    for (const listener of [...this.listeners, ...this.watchers]) if (listener !== failed) this.tell(listener, event);
  }
}

/** What may be told of a foreign error: its class, never its message, which may hold a URL or a credential. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as PromiseLike<unknown>).then === 'function';
}
