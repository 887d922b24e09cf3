import { errorName } from '../events/event-hub.js';
import type { EventSink, SluiceEvent } from '../events/events.js';
import type { Clock } from '../time/clock.js';
import type { PlanReport } from './call-plan.js';

/** Events about the calls of one provider. Nothing is built while nobody listens. */
export class ProviderReport implements PlanReport {
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

  guess(about: string, taken: string): void {
    this.emit((base) => ({ ...base, type: 'guess', about, taken }), 'trouble');
  }

  hookFailed(hook: string, error: unknown): void {
    this.emit((base) => ({ ...base, type: 'hook-failed', hook, error: errorName(error) }), 'trouble');
  }

  auth(state: 'refreshed' | 'failed'): void {
    this.emit((base) => ({ ...base, type: 'auth', state }));
  }
}
