import type { HeldCredentials } from '../auth/credentials.js';
import type { ResolvedContract } from '../contract/resolved.js';
import type { Permit } from '../gate/admission.js';
import type { AttemptKind } from '../model/outcome.js';
import type { StoredRequest } from '../operations/port/request.js';
import type { RetryVerdict } from '../retry/decide.js';
import { onAbort } from '../time/bounded.js';
import type { FirstBody, Recordable } from './call.js';
import type { RequestPlan } from './call-plan.js';
import type { Judgement } from './judge.js';
import type { Wire, WireEnd } from './wire.js';

/** What the next attempt is, and what it waits for. */
export interface Pending {
  readonly kind: AttemptKind;
  readonly waitMs: number;
  readonly place: string | null;
}

/** A write that is written down: it may leave now. */
export interface Written {
  readonly step: string;
  readonly request: StoredRequest;
  /** Null = what the client has now is what the first send brought. */
  readonly firstBody: FirstBody | null;
  /** An earlier send of it is unanswered: that this one was refused does not tell what became of that. */
  readonly openBefore: boolean;
  readonly recordable: Recordable;
  /** The operation is in other hands, or its run is over: it must not leave any more. */
  isGone(): boolean;
}

/** One attempt that has its permit. */
export interface Started {
  readonly request: RequestPlan;
  readonly kind: AttemptKind;
  readonly permit: Permit;
  readonly held: HeldCredentials | null;
  readonly key: string | null;
  /** Moment (monotonic ms) after which its grant is stale. */
  readonly staleMono: number;
  /** What its operation's journal says of it; absent = it is not written down. */
  readonly written?: Written;
}

export interface Settled {
  readonly verdict: RetryVerdict;
  readonly place: string | null;
}

/** How often each kind of trouble met the call. */
export interface Tries {
  failures: number;
  refusals: number;
  unauthorised: number;
}

/** A read on the wire is torn down with its caller; a write goes on to its end, and keeps its permit until then. Null = the caller gave up. */
export function unlessGivenUp(request: RequestPlan, wire: Wire, running: Promise<WireEnd>): Promise<WireEnd | null> {
  return new Promise((resolve) => {
    const unlisten = onAbort(request.signals, (reason) => {
      if (request.safety === 'safe') wire.cut('cancelled', reason);
      resolve(null);
    });
    void running.then((end) => {
      unlisten();
      resolve(end);
    });
  });
}

/** A probe for the breaker is sent at the breaker's pace, for all who wait: it is none of the tries that the call has. */
export function count(
  tries: Tries,
  { trouble }: Judgement,
  { probesBreaker }: Permit,
  breaker: ResolvedContract['breaker'],
): void {
  const isTry = !probesBreaker || breaker?.whileOpen !== 'wait';
  if (trouble === 'limited' || trouble === 'overloaded' || trouble === 'locked') tries.refusals += 1;
  else if (trouble === 'auth') tries.unauthorised += 1;
  else if (trouble !== 'none' && isTry) tries.failures += 1;
}
