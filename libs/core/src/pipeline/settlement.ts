import type { SettleEnd } from '../gate/port.js';
import type { Settlement } from '../gate/admission.js';
import type { Units } from '../model/outcome.js';
import { isLocalFault, type Trouble } from '../retry/trouble.js';
import type { AttemptResult } from './call.js';
import type { Cut } from './wire.js';

/** What the books are told of an attempt's end. */
export interface SettlementFacts {
  readonly result: AttemptResult;
  readonly cut: Cut | null;
  readonly trouble: Trouble;
  readonly limitName: string | null;
  readonly hintMs: number | null;
  readonly trueUnits: Units | null;
  readonly seen: Settlement['seen'];
}

/** The end of an attempt of which nothing left the process, through no fault of the provider's. */
export const UNSENT: Settlement = {
  end: 'not-sent',
  health: 'none',
  refusal: null,
  trueUnits: null,
  seen: [],
};

/** A pure mapping. The breaker hears of what the provider did; never of our callers' aborts and haste, of 4xx, nor of refusals. */
export function settlementOf(facts: SettlementFacts): Settlement {
  const pauses = facts.trouble === 'limited' || facts.trouble === 'overloaded';
  return {
    end: endOf(facts.result),
    health: healthOf(facts),
    refusal: pauses ? { limitName: facts.limitName, waitMs: facts.hintMs } : null,
    trueUnits: facts.trueUnits,
    seen: facts.seen,
  };
}

function endOf(result: AttemptResult): SettleEnd {
  if (result.type === 'answered') return 'answered';
  return result.sent ? 'no-answer' : 'not-sent';
}

function healthOf({ result, cut, trouble }: SettlementFacts): Settlement['health'] {
  if (result.type === 'failed') {
    if (cut !== null) return cut === 'cancelled' || cut === 'early' ? 'none' : 'failure';
    // Without a code nothing says that the provider had a part in it.
    return result.code === null || isLocalFault(result.code) ? 'none' : 'failure';
  }
  if (trouble === 'limited' || trouble === 'overloaded' || trouble === 'locked') return 'none';
  if (trouble !== 'failure') return 'alive';
  // A 4xx is no failure of the provider's; an answer that looks good is one where the contract says so.
  return result.status >= 400 && result.status < 500 ? 'alive' : 'failure';
}
