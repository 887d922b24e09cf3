/** What the loop tells observers. An observer that throws is not heard of here: no call may hang on it. */
import { limitNameOf } from '../../contract/limit-name.js';
import type { ResolvedContract } from '../../contract/resolved.js';
import type { EventSink, SluiceEvent } from '../../events/events.js';
import type { Clock } from '../../time/clock.js';
import { errorNameOf } from '../error-name.js';
import type { GateChange, StepReply } from '../port.js';

export class Reports {
  constructor(
    private readonly events: EventSink,
    private readonly clock: Clock,
    private readonly contract: () => ResolvedContract,
  ) {}

  changes(reply: StepReply): void {
    for (const change of reply.changes) {
      const isTrouble = change.type === 'hook-failed' || change.type === 'edges-contradicted';
      this.emit(() => this.eventOf(change, reply.nowUs), isTrouble ? 'trouble' : undefined);
    }
  }

  /** Something of ours or of the gate's went wrong and was survived. Only the error's name is told: its text may hold an address or a credential. */
  fault(hook: string, error: unknown): void {
    this.emit(() => ({ ...this.base(), type: 'hook-failed', hook, error: errorNameOf(error) }), 'trouble');
  }

  guess(about: string, taken: string): void {
    this.emit(() => ({ ...this.base(), type: 'guess', about, taken }), 'trouble');
  }

  private eventOf(change: GateChange, nowUs: number): SluiceEvent {
    const base = this.base();
    switch (change.type) {
      case 'pause-started':
        return {
          ...base,
          type: 'pause',
          state: 'started',
          countedBy: this.countedBy(change.stage),
          untilMs: base.at + Math.round((change.untilUs - nowUs) / 1000),
          step: change.step,
        };
      case 'pause-ended':
        return {
          ...base,
          type: 'pause',
          state: 'ended',
          countedBy: this.countedBy(change.stage),
          untilMs: null,
          step: 0,
        };
      case 'breaker-opened':
        return { ...base, type: 'breaker', state: 'open' };
      case 'breaker-closed':
        return { ...base, type: 'breaker', state: 'closed' };
      case 'store-away':
        return { ...base, type: 'outage', state: 'began' };
      case 'store-back':
        return { ...base, type: 'outage', state: 'ended' };
      case 'quota-seen':
        return {
          ...base,
          type: 'quota-seen',
          limitName: this.limitName(change.limit),
          remaining: change.remaining,
          applied: change.applied,
        };
      case 'hook-failed':
        return { ...base, type: 'hook-failed', hook: change.hook, error: change.error };
      case 'edges-contradicted':
        return {
          ...base,
          type: 'guess',
          about: `where the windows of limit "${this.limitName(change.limit)}" begin: the resets that the provider tells lie elsewhere`,
          taken: 'the clock, as the contract says',
        };
    }
  }

  /** A stage is named by what it is counted by: `account=<hash>&user=<hash>`, `route=<names>`, or `*`. */
  private countedBy(stage: string): readonly string[] {
    const names = stage.split('&').map((part) => part.slice(0, Math.max(0, part.indexOf('='))));
    return this.contract().dimensions.filter((dimension) => names.includes(dimension));
  }

  private limitName(index: number): string {
    return limitNameOf(this.contract(), index) ?? String(index);
  }

  private base(): { provider: string; at: number } {
    return { provider: this.contract().name, at: this.clock.wallMs() };
  }

  private emit(build: () => SluiceEvent, trouble?: 'trouble'): void {
    if (trouble === undefined && !this.events.active) return;
    try {
      this.events.emit(build, trouble);
    } catch {
      // The sink reports its own listeners; one that throws all the same has nobody to be reported to.
    }
  }
}
