/** What the end of an attempt tells those around it, whatever follows on it: listeners, reads, credentials, the operation and its journal. */
import { abortedOf } from '../time/bounded.js';
import { type Judgement, judge } from './judge.js';
import { settleAfter } from './next-step.js';
import type { CallParts } from './obtain.js';
import type { RecordedPart } from './recorded-part.js';
import type { Started } from './started.js';
import type { Wire, WireEnd } from './wire.js';
import type { WriteTrace } from './write-trace.js';

/** What has to be known of a call to end an attempt of it. */
export interface EndingAttempts extends CallParts {
  /** Null = no operation remembers what is written here. */
  readonly recorded: RecordedPart | null;
  readonly trace: WriteTrace;
  readonly operationId: string | null;
}

const DONE = Promise.resolve();

export function judged(call: EndingAttempts, started: Started, wire: Wire, end: WireEnd): Judgement {
  const { contract, clock, report, auth } = call.env;
  const { events } = call.ending;
  const judgement = judge(contract, started.request, end, clock.wallMs(), report);
  const status = end.result.type === 'answered' ? end.result.status : null;
  const outcome = end.cut === 'cancelled' && status === null ? 'cancelled' : judgement.outcome;
  events.attemptEnded(started.kind, wire.number, outcome, status, wire.runsMs);
  call.trace.ended(started.request.safety, judgement.outcome);
  if (started.request.safety !== 'safe' && (status !== null || leftTheProcess(end))) call.trail?.sent();
  if (judgement.reading !== null) events.reading(judgement.reading);
  if (started.held !== null && status !== null && judgement.trouble !== 'auth') {
    auth?.accepted(call.plan.partition, started.held);
  }
  return judgement;
}

/** The end of an attempt whose caller is gone. Resolves when the journal has it. */
export function recordEnd(call: EndingAttempts, started: Started, wire: Wire, end: WireEnd): Promise<void> {
  const judgement = judged(call, started, wire, end);
  const told = call.recorded?.told(started, end, judgement) ?? null;
  wire.abandon(abortedOf(started.request.signals)?.reason);
  settleAfter(end.result, started.permit, judgement);
  if (judgement.outcome === 'unknown' && end.cut !== 'cancelled') call.ending.events.outcomeUnknown(call.operationId);
  return told ?? DONE;
}

/** Without evidence of the contrary it did. */
function leftTheProcess({ result }: WireEnd): boolean {
  return result.type === 'failed' && result.sent;
}
