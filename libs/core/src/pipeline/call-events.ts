import type { Permit } from '../gate/admission.js';
import type { AttemptKind, Decision, Outcome } from '../model/outcome.js';
import type { Reading } from '../reading/reading.js';
import type { ProviderReport } from './provider-report.js';

/** The events of one call. */
export class CallEvents {
  constructor(
    private readonly report: ProviderReport,
    private readonly call: {
      readonly callId: string;
      readonly lane: string;
      readonly route: string | null;
      readonly method: string;
    },
  ) {}

  asked(kind: AttemptKind): void {
    if (this.report.active) this.report.emit((base) => ({ ...base, ...this.call, type: 'asked', kind }));
  }

  granted(kind: AttemptKind, permit: Permit): void {
    if (!this.report.active) return;
    const { waitedMs, waitedFor, probe, shadow } = permit;
    this.report.emit((base) => ({ ...base, ...this.call, type: 'granted', kind, waitedMs, waitedFor, probe, shadow }));
  }

  refused(kind: AttemptKind, code: string, waitedMs: number): void {
    if (this.report.active) {
      this.report.emit((base) => ({ ...base, ...this.call, type: 'refused', kind, code, waitedMs }));
    }
  }

  attemptStarted(kind: AttemptKind, attempt: number): void {
    if (this.report.active) {
      this.report.emit((base) => ({ ...base, ...this.call, type: 'attempt-started', kind, attempt }));
    }
  }

  attemptEnded(kind: AttemptKind, attempt: number, outcome: Outcome, status: number | null, durationMs: number): void {
    if (!this.report.active) return;
    this.report.emit((base) => ({
      ...base,
      ...this.call,
      type: 'attempt-ended',
      kind,
      attempt,
      outcome,
      status,
      durationMs,
    }));
  }

  reading(reading: Reading): void {
    if (this.report.active) this.report.emit((base) => ({ ...base, ...this.call, type: 'reading', reading }));
  }

  decision(
    decision: Decision,
    reason: string,
    waitMs: number | null = null,
    waitReason: 'retry-after' | 'backoff' | null = null,
  ): void {
    if (!this.report.active) return;
    this.report.emit((base) => ({ ...base, ...this.call, type: 'decision', decision, reason, waitMs, waitReason }));
  }

  ended(attempts: number, outcome: Outcome, durationMs: number): void {
    if (this.report.active) {
      this.report.emit((base) => ({ ...base, ...this.call, type: 'call-ended', attempts, outcome, durationMs }));
    }
  }

  outcomeUnknown(operationId: string | null): void {
    if (this.report.active)
      this.report.emit((base) => ({ ...base, ...this.call, type: 'outcome-unknown', operationId }));
  }
}
