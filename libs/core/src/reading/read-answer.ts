/** What an answer says about limits, read in its provider's way. Pure; never throws, whatever the answer holds. */
import type { ProviderContract } from '../contract/resolved.js';
import { dateOrNull } from '../time/calendar.js';
import { parseHttpDate } from './dates.js';
import { deciding, type Figure, type Moments } from './figure.js';
import { figuresOf } from './figures.js';
import { classified } from './classify.js';
import type { Guess } from './guess.js';
import type { Classification, ContractReading } from './options.js';
import { plainReading, saysNothing } from './plain.js';
import { type Facts, planOf, type ReadingPlan } from './plan.js';
import type { Answer, Reading, ReadingPart } from './reading.js';
import { meaningOf, meaningSaid, type StatusMeaning } from './statuses.js';
import { ceilMs, linesOf, OVERFLOW_MS, parseWait, untilMs } from './times.js';
import { openBody, openHeaders, type OpenAnswer, smallestCount } from './values.js';

/** A shorter wait is nothing that anybody has to be told of. */
const LONG_MS = 3_600_000;

/** Learns that the contract's `classify` failed. */
export type ClassifyFailure = (error: unknown) => void;

/**
 * Reads an answer as the contract says its provider speaks.
 *
 * @param onFailure learns that the contract's `classify` threw or gave what is no meaning; the reading goes on without it
 */
export function readAnswer(contract: ProviderContract, answer: Answer, onFailure?: ClassifyFailure): Reading {
  return readWith(contract.resolved.reading, answer, onFailure);
}

/** Reads an answer with these options; undefined = the generic reading. */
export function readWith(
  options: ContractReading | undefined,
  answer: Answer,
  onFailure: ClassifyFailure = () => undefined,
): Reading {
  const plan = planOf(options);
  try {
    return saysNothing(plan, answer) ? plainReading(answer) : read(plan, answer, onFailure);
  } catch {
    // A body or a header that throws when it is looked at: the status is all there is.
    return read(withoutClassify(plan), { status: answer.status, headers: {}, receivedAt: answer.receivedAt });
  }
}

function withoutClassify(plan: ReadingPlan): ReadingPlan {
  return { ...plan, classify: null };
}

function read(plan: ReadingPlan, answer: Answer, onFailure: ClassifyFailure = () => undefined): Reading {
  const open: OpenAnswer = {
    headers: openHeaders(answer.headers, plan.headers),
    body: openBody(answer.body, plan.wanted),
  };
  const moments = new AnswerMoments(open, answer.receivedAt);
  const told = hintOf(plan, open, moments);
  const hint = told?.ms ?? null;
  const cost = firstReadable(plan, open);
  const cached = (smallestCount(open.headers.get('age') ?? []) ?? 0) > 0;

  let figures = cached ? [] : figuresOf(plan, open, moments, null);
  const facts = { status: answer.status, hinted: hint !== null && hint > 0, remaining: left(figures) };
  const rule = saidOf(plan, open, answer, onFailure) ?? ruled(plan, open, facts);
  const meaning = meant(meaningOf(answer.status, hint !== null), rule);
  if (meaning.limited && cost !== null && !cached) figures = figuresOf(plan, open, moments, cost);

  const ruleScope = rule?.scope ?? null;
  const shown = figures.find((each) => each.scope !== null && each.scope === ruleScope) ?? deciding(figures);
  const reason = reasonOf(figures, shown, meaning.limited);
  const hopeless = meaning.limited && cost !== null && shown?.perSecond != null && cost > (shown.limit ?? Infinity);
  const waitMs = hopeless ? null : waitOf(meaning, hint, reason, rule);
  const waitGuess = waitMs === null ? null : told !== null ? told.guess : reason?.waitMs == null ? null : reason.guess;
  const waitFrom = told !== null ? told.from : (reason?.from ?? null);
  const known = meaning.limited && rule?.kind === undefined;
  const kind = known ? (reason?.kind ?? (hint !== null || reason !== null ? 'rate' : 'unknown')) : meaning.kind;
  const parts = [...batchOf(plan, open, answer), ...(ownScopes(figures, ruleScope) ? figures.map(partOf) : [])];

  return {
    limited: meaning.limited,
    retryable: meaning.retryable && !hopeless,
    kind,
    ...(rule?.means === undefined ? {} : { means: rule.means }),
    ...after(waitMs, moments.receivedMs),
    ...(waitFrom === null || waitMs === null || waitMs <= LONG_MS ? {} : { waitFrom }),
    ...(waitGuess === null ? {} : { waitGuess }),
    ...(rule?.guess === undefined ? {} : { meaningGuess: rule.guess }),
    ...amountsOf(shown),
    scope: ruleScope ?? shown?.scope ?? null,
    ...(cost === null ? {} : { cost }),
    ...(parts.length === 0 ? {} : { parts }),
    ...(plan.nearLimit?.(open) ? { nearLimit: true } : {}),
  };
}

function saidOf({ classify }: ReadingPlan, open: OpenAnswer, answer: Answer, onFailure: ClassifyFailure): Said | null {
  if (classify === null) return null;
  try {
    return classified(classify, answer, () => open.body.whole());
  } catch (error) {
    onFailure(error);
    return null;
  }
}

/** What a rule or `classify` says; of a generic rule with what it takes for granted. */
interface Said extends Classification {
  readonly guess?: Guess;
}

/** What the first rule that matches says, its scope looked up in the answer. */
function ruled({ rules }: ReadingPlan, open: OpenAnswer, facts: Facts): Said | null {
  const rule = rules.find((each) => each.matches(open, facts));
  if (rule === undefined) return null;
  const scope = rule.scope?.(open) ?? null;
  const { when: _, scope: __, ...said } = rule.options;
  return scope === null ? said : { ...said, scope };
}

/**
 * The provider's clock counts for its own dates; of a cached answer it has gone on since. Most answers need neither.
 *
 * A class: of object literals with getters V8 makes slow dictionaries.
 */
class AnswerMoments implements Moments {
  readonly receivedMs: number;
  #serverMs: number | null = null;

  constructor(
    private readonly open: OpenAnswer,
    receivedAt: Date,
  ) {
    this.receivedMs = receivedAt.getTime();
  }

  get serverMs(): number {
    return (this.#serverMs ??= serverTime(this.open, this.receivedMs));
  }
}

function serverTime(open: OpenAnswer, receivedMs: number): number {
  const date = open.headers.get('date')?.[0];
  const dateMs = date === undefined ? null : parseHttpDate(date, receivedMs);
  if (dateMs === null) return receivedMs;
  return dateMs + (smallestCount(open.headers.get('age') ?? []) ?? 0) * 1000;
}

interface Hint {
  readonly ms: number;
  readonly from: string;
  readonly guess: Guess | null;
}

/** The wait the provider tells, in ms. Of several lines of one field the longest counts. */
function hintOf(plan: ReadingPlan, open: OpenAnswer, moments: Moments): Hint | null {
  let hint: Hint | null = null;
  for (const { name, read: texts, as, guesses } of plan.waits) {
    for (const text of texts(open).flatMap(linesOf)) {
      const time = parseWait(text, as, moments.serverMs);
      const ms = time === null ? null : untilMs(time, moments.serverMs);
      if (ms === null || (hint !== null && ms <= hint.ms)) continue;
      hint = { ms, from: name, guess: (time?.form !== undefined && guesses?.[time.form]) || null };
    }
    if (hint !== null && !plan.longestWait) break;
  }
  return hint;
}

function firstReadable(plan: ReadingPlan, open: OpenAnswer): number | null {
  for (const source of plan.cost) {
    const cost = smallestCount(source(open));
    if (cost !== null) return cost;
  }
  return null;
}

function left(figures: readonly Figure[]): 'none' | 'some' | null {
  const known = figures.filter((each) => each.remaining !== null);
  if (known.length === 0) return null;
  return known.some((each) => each.exhausted) ? 'none' : 'some';
}

function meant(status: StatusMeaning, rule: Classification | null): StatusMeaning {
  if (rule === null) return status;
  if (rule.means !== undefined) {
    const said = meaningSaid(rule.means, status);
    return rule.kind === undefined ? said : { ...said, kind: rule.kind };
  }
  const limited = rule.limited ?? status.limited;
  const retryable = rule.retryable ?? (limited || rule.waitMs !== undefined || status.retryable);
  return { limited, retryable, kind: rule.kind ?? status.kind, waits: status.waits || limited };
}

/** The figure that explains a wait: what is exhausted, or, after a refusal, a figure that does not say what is left. */
function reasonOf(figures: readonly Figure[], shown: Figure | null, limited: boolean): Figure | null {
  if (shown === null) return null;
  if (shown.exhausted) return shown;
  const longest = deciding(figures);
  if (longest?.exhausted) return longest;
  if (!limited) return null;
  return figures.find((each) => each.remaining === null && each.waitMs !== null) ?? null;
}

function waitOf(meaning: StatusMeaning, hint: number | null, reason: Figure | null, rule: Classification | null) {
  if (!meaning.retryable && !meaning.limited) return null;
  const told = hint ?? reason?.waitMs ?? rule?.waitMs ?? null;
  return told ?? (meaning.waits || reason !== null ? null : 0);
}

function after(waitMs: number | null, receivedMs: number): Pick<Reading, 'waitMs' | 'retryAt' | 'overflow'> {
  if (waitMs === null) return { waitMs, retryAt: null };
  if (waitMs > OVERFLOW_MS) return { waitMs, retryAt: null, overflow: true };
  return { waitMs, retryAt: dateOrNull(receivedMs + ceilMs(waitMs)) };
}

function amountsOf(figure: Figure | null) {
  return {
    remaining: figure?.remaining ?? null,
    limit: figure?.limit ?? null,
    resetAt: figure?.resetAtMs == null ? null : dateOrNull(figure.resetAtMs),
    ...(figure?.waitMs == null || figure.resetAtMs === null ? {} : { resetInMs: figure.waitMs }),
    ...(figure?.guess == null ? {} : { resetGuess: figure.guess }),
    ...(figure?.unit == null ? {} : { unit: figure.unit }),
    ...(figure?.window == null ? {} : { window: figure.window }),
    ...(figure?.perSecond == null ? {} : { perSecond: figure.perSecond }),
  };
}

/** Whether figures have to be told with their own scopes: a refusal may be about one limit and the figures about another. */
function ownScopes(figures: readonly Figure[], ruleScope: string | null): boolean {
  if (figures.length !== 1) return figures.length > 1;
  const { scope } = figures[0] as Figure;
  return scope !== null && ruleScope !== null && scope !== ruleScope;
}

function partOf(figure: Figure): ReadingPart {
  return { scope: figure.scope, ...amountsOf(figure) };
}

function batchOf(plan: ReadingPlan, open: OpenAnswer, answer: Answer): readonly ReadingPart[] {
  const { batch } = plan;
  if (batch === null) return [];
  return batch.list(open.body.at(batch.piece)).flatMap((element) => {
    const status = batch.status(element)[0];
    if (typeof status !== 'number') return [];
    const headers = batch.headers(element)[0];
    const within: Answer = {
      status,
      headers: typeof headers === 'object' && headers !== null ? (headers as Answer['headers']) : {},
      body: batch.body(element)[0],
      receivedAt: answer.receivedAt,
    };
    const reading = read({ ...plan, batch: null, classify: null }, within);
    const id = batch.id(element)[0];
    const { scope, remaining, limit, resetAt, limited, waitMs } = reading;
    const named = typeof id === 'string' || typeof id === 'number' ? { id: String(id) } : {};
    return [{ ...named, scope, remaining, limit, resetAt, limited, waitMs }];
  });
}
