import { UnitsFault } from '../contract/units.js';
import { errorName } from '../events/event-hub.js';
import type { EventSink, SluiceEvent } from '../events/events.js';
import type { Clock } from '../time/clock.js';
import type { PlanReport } from './call-plan.js';

/** More kinds of guesses than a contract can give cause to. */
const MAX_GUESSES = 100;

/** Events about the calls of one provider. Nothing is built while nobody listens. */
export class ProviderReport implements PlanReport {
  private readonly guessed = new Set<string>();

  constructor(
    readonly provider: string,
    private readonly events: EventSink,
    private readonly clock: Clock,
  ) {}

  get active(): boolean {
    return this.events.active;
  }

  /** Fills in what all events share. */
  emit(build: (base: { readonly provider: string; readonly at: number }) => SluiceEvent, trouble?: 'trouble'): void {
    this.events.emit(() => build({ provider: this.provider, at: this.clock.wallMs() }), trouble);
  }

  /** Told once: the next answer gives cause to the same guess. */
  guess(about: string, taken: string, kind = `${about}: ${taken}`): void {
    if (this.guessed.has(kind) || this.guessed.size >= MAX_GUESSES) return;
    this.guessed.add(kind);
    this.emit((base) => ({ ...base, type: 'guess', about, taken }), 'trouble');
  }

  hookFailed(hook: string, error: unknown): void {
    this.emit(
      (base) => ({
        ...base,
        type: 'hook-failed',
        hook,
        error: error instanceof UnitsFault ? error.message : errorName(error),
      }),
      'trouble',
    );
  }

  auth(state: 'refreshed' | 'failed'): void {
    this.emit((base) => ({ ...base, type: 'auth', state }));
  }
}
