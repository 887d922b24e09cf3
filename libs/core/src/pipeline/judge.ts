import type { RequestView } from '../contract/options.js';
import type { ProviderContract, ResolvedContract } from '../contract/resolved.js';
import { trueUnitsOf } from '../contract/units.js';
import type { Settlement } from '../gate/admission.js';
import type { Outcome, Safety, Units } from '../model/outcome.js';
import { answerView } from '../reading/answer-view.js';
import { readAnswer } from '../reading/read-answer.js';
import type { Reading } from '../reading/reading.js';
import { openBody } from '../reading/values.js';
import { readingToSeen, refusingLimit } from '../reading/seen.js';
import { outcomeOf, type Trouble, troubleOf, troubleWithoutAnswer } from '../retry/trouble.js';
import { dateOf } from '../time/dates.js';
import type { AttemptResult } from './call.js';
import type { PlanReport } from './call-plan.js';
import { believedHintMs, longestGuessMs, tellGuesses } from './guesses.js';
import { settlementOf } from './settlement.js';
import type { WireEnd } from './wire.js';

/** What an attempt's end means: for the retry table, for the books, for the caller. */
export interface Judgement {
  readonly trouble: Trouble;
  readonly outcome: Outcome;
  /** Null where no answer came. */
  readonly reading: Reading | null;
  readonly retryable: boolean;
  readonly hintMs: number | null;
  /** What is put on the hint does not make the wait longer than this. */
  readonly longestHintMs: number;
  readonly settlement: Settlement;
}

export interface JudgedRequest {
  readonly view: RequestView;
  readonly safety: Safety;
  readonly units: Units;
}

/** Reads an attempt's end as the contract says. Functions of the contract that fail are reported and change nothing. */
export function judge(
  contract: ProviderContract,
  request: JudgedRequest,
  { result, cut }: WireEnd,
  wallMs: number,
  report: PlanReport,
): Judgement {
  if (result.type === 'failed') {
    const trouble =
      cut === null
        ? troubleWithoutAnswer(result.sent, result.code, request.safety)
        : result.sent
          ? 'no-answer'
          : 'not-sent';
    return {
      trouble,
      outcome: trouble === 'permanent' ? 'failed' : outcomeOf(trouble, request.safety),
      reading: null,
      retryable: true,
      hintMs: null,
      longestHintMs: Infinity,
      settlement: settlementOf({ result, cut, trouble, limitName: null, hintMs: null, trueUnits: null, seen: NOTHING }),
    };
  }
  const { status, headers, body } = result;
  const answer = { status, headers, body, receivedAt: dateOf(wallMs), request: request.view };
  const reading = readAnswer(contract, answer, (error) => report.hookFailed('classify', error));
  const trouble = troubleOf(status, reading, request.safety);
  const { pause } = contract.resolved;
  const hintMs = believedHintMs(reading, pause);
  const paused = trouble === 'limited' || trouble === 'overloaded';
  tellGuesses(reading, pause, paused, hintMs, ({ about, taken }, kind) => report.guess(about, taken, kind));
  const { route } = request.view;
  return {
    trouble,
    outcome: outcomeOf(trouble, request.safety),
    reading,
    retryable: reading.retryable,
    hintMs,
    longestHintMs: longestGuessMs(reading, pause),
    settlement: settlementOf({
      result,
      cut,
      trouble,
      limitName: refusingLimit(contract.resolved, reading, route),
      hintMs,
      trueUnits: trouble === 'limited' ? null : costOf(contract.resolved, request, result, reading, report),
      seen: readingToSeen(contract.resolved, reading, route),
    }),
  };
}

const NOTHING: Settlement['seen'] = [];

/** What it did cost, by the contract's own function, else by the figure that the answer gives. */
function costOf(
  contract: ResolvedContract,
  { view, units }: JudgedRequest,
  { status, headers, body }: Extract<AttemptResult, { type: 'answered' }>,
  reading: Reading,
  report: PlanReport,
): Units | null {
  if (contract.options.settleUnits !== undefined) {
    const open = openBody(body);
    // A client gives the text as it came; whoever looks wants what it says.
    const answer = answerView({ status, headers, request: view }, () => open.whole() ?? body);
    return trueUnitsOf(contract, answer, units, (source, error) => report.hookFailed(source, error));
  }
  if (reading.cost === undefined) return null;
  const unit = contract.reading.costUnit ?? unitOfCost(units, reading);
  return unit === null || !Object.hasOwn(units, unit) ? null : { ...units, [unit]: reading.cost };
}

/** A bare cost is of the only unit that weighs requests, where there is one. */
function unitOfCost(units: Units, { unit }: Reading): string | null {
  if (unit !== undefined && Object.hasOwn(units, unit)) return unit;
  const all = Object.keys(units);
  const weighted = all.filter((each) => each !== 'requests');
  if (weighted.length === 1) return weighted[0] ?? null;
  return all.length === 1 ? (all[0] ?? null) : null;
}
