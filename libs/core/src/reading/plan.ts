/** A contract's way of speaking, compiled once: every name lower-cased, every path split. */
import {
  GENERIC_FAMILIES,
  GENERIC_FIELDS,
  GENERIC_GUESSES,
  GENERIC_POLICY,
  GENERIC_RULES,
  GENERIC_WAITS,
  type GenericRule,
} from './generic.js';
import type { TimeGuesses } from './guess.js';
import type {
  AnswerMatch,
  ContractReading,
  ReadingOptions,
  ScopeSource,
  TimeForm,
  TimeSource,
  ValueSource,
  WindowOptions,
} from './options.js';
import { type BatchPlan, compileBatch, wantBatch } from './batch-plan.js';
import { compilePath, rarePiece, stepsOf } from './path.js';
import { sourceName } from './source-name.js';
import { compileMatch, compileSource, headerOf, openBody, type OpenAnswer, type ValueReader } from './values.js';
import { Wanted } from './wanted.js';

export interface TimePlan {
  /** Name of the place, as people say it. */
  readonly name: string;
  readonly read: ValueReader;
  readonly as: TimeForm;
  /** What has to be guessed of it; null = the contract names it. */
  readonly guesses: TimeGuesses | null;
}

export interface WindowPlan {
  readonly options: WindowOptions;
  readonly scope: (answer: OpenAnswer) => string | null;
  readonly remaining: ValueReader | null;
  readonly used: ValueReader | null;
  readonly limit: ValueReader | null;
  readonly reset: TimePlan | null;
  readonly resetAfter: TimePlan | null;
  readonly perSecond: number | ValueReader | null;
  readonly windowSeconds: number | ValueReader | null;
}

/** What rules may ask of an answer besides its headers and body. */
export interface Facts {
  readonly status: number;
  readonly hinted: boolean;
  readonly remaining: 'none' | 'some' | null;
}

export interface RulePlan {
  readonly options: GenericRule;
  readonly matches: (answer: OpenAnswer, facts: Facts) => boolean;
  readonly scope: ((answer: OpenAnswer) => string | null) | null;
}

export interface ReadingPlan {
  /** Names of the headers that are looked at. */
  readonly headers: ReadonlySet<string>;
  /** What is looked for in a body. */
  readonly wanted: Wanted;
  readonly waits: readonly TimePlan[];
  readonly longestWait: boolean;
  readonly windows: readonly WindowPlan[];
  /** Only the first window that an answer has figures of counts. */
  readonly oneFamily: boolean;
  readonly fields: readonly { readonly field: string; readonly policy: string | null }[];
  readonly rules: readonly RulePlan[];
  readonly cost: readonly ValueReader[];
  readonly nearLimit: ((answer: OpenAnswer) => boolean) | null;
  readonly batch: BatchPlan | null;
  readonly classify: NonNullable<ContractReading['classify']> | null;
  /** Null where an answer without any header may say something. */
  readonly plain: PlainPlan | null;
}

/** How to see that an answer says nothing. */
export interface PlainPlan {
  /** Statuses that a rule is about. */
  readonly ruled: ReadonlySet<number>;
  /** Lower-case names of the headers that can change a reading by themselves. */
  readonly telling: ReadonlySet<string>;
  /** Of names as answers spell them, whether they are telling: remembered, as they are always the same. */
  readonly spelled: Map<string, boolean>;
}

const plans = new WeakMap<ContractReading, ReadingPlan>();
const GENERIC: ContractReading = {};

/** The plan of these options, compiled at their first use. */
export function planOf(options: ContractReading = GENERIC): ReadingPlan {
  let plan = plans.get(options);
  if (plan === undefined) plans.set(options, (plan = compile(options)));
  return plan;
}

/** Headers that only help to read others. */
const HELPING = ['date', 'age', GENERIC_POLICY];

function compile(options: ContractReading): ReadingPlan {
  const telling = new Set<string>();
  const wanted = new Wanted();
  const want = (path: string): void => void wanted.add(stepsOf(path));
  let readsBody = options.batch !== undefined;
  const source = (from: ValueSource): ValueReader => {
    const name = headerOf(from);
    if (name !== null) telling.add(name);
    if (typeof from === 'object' && 'body' in from) {
      readsBody = true;
      want(from.body);
    }
    return compileSource(from);
  };
  const time = (from: TimeSource, generic: boolean): TimePlan =>
    typeof from === 'object' && 'from' in from
      ? { name: sourceName(from), read: source(from.from), as: from.as, guesses: null }
      : {
          name: sourceName(from),
          read: source(from),
          as: 'auto',
          guesses: (generic && GENERIC_GUESSES[headerOf(from) ?? '']) || null,
        };
  const scope = (from: ScopeSource) => {
    if (typeof from === 'string') return () => from;
    const read = source(from.from);
    return (answer: OpenAnswer) => {
      const value = read(answer)[0];
      return value === undefined ? null : `${from.prefix ?? ''}${value}`;
    };
  };
  const field = (name: string): string => {
    telling.add(name.toLowerCase());
    return name.toLowerCase();
  };
  const amount = (from: number | ValueSource | undefined) =>
    from === undefined ? null : typeof from === 'number' ? from : source(from);

  const own = options.windows !== undefined;
  const window = (of: WindowOptions): WindowPlan => ({
    options: of,
    scope: of.scope === undefined ? () => null : scope(of.scope),
    remaining: of.remaining === undefined ? null : source(of.remaining),
    used: of.used === undefined ? null : source(of.used),
    limit: of.limit === undefined ? null : source(of.limit),
    reset: of.reset === undefined ? null : time(of.reset, !own),
    resetAfter: of.resetAfter === undefined ? null : time(of.resetAfter, !own),
    perSecond: amount(of.perSecond),
    windowSeconds: amount(of.windowSeconds),
  });
  const rule = (of: GenericRule): RulePlan => ({
    options: of,
    matches: compileAnswerMatch(of.when, source, want),
    scope: of.scope === undefined ? null : scope(of.scope),
  });
  const fields = options.fields ?? (own ? [] : GENERIC_FIELDS);
  const costs = options.cost === undefined ? [] : isList(options.cost) ? options.cost : [options.cost];
  const near = options.nearLimit;

  const reads = {
    waits: (options.waits ?? GENERIC_WAITS).map((each) => time(each, options.waits === undefined)),
    longestWait: options.pickWait === 'longest',
    windows: (options.windows ?? (options.fields === undefined ? GENERIC_FAMILIES : [])).map(window),
    oneFamily: !own,
    fields: fields.map((each) => ({
      field: field(each.header),
      policy: each.policy === undefined ? null : field(each.policy),
    })),
    cost: costs.map(source),
    nearLimit: near === undefined ? null : withMatch(source(near.from), compileMatch(near.is)),
    batch: options.batch === undefined ? null : compileBatch(options.batch),
    classify: options.classify ?? null,
  };
  const silent = !readsBody && reads.classify === null && reads.nearLimit?.(EMPTY) !== true;
  const rules = [...(options.rules ?? []), ...GENERIC_RULES];
  const statuses = rules.map(({ when }) => when.status);
  const plan = { ...reads, rules: rules.map(rule) };
  const headers = new Set([...telling, ...HELPING]);
  if (options.batch !== undefined) wantBatch(wanted, options.batch, headers);
  return {
    ...plan,
    headers,
    wanted,
    plain:
      silent && !statuses.includes(undefined)
        ? { ruled: new Set(statuses.flat() as number[]), telling, spelled: new Map() }
        : null,
  };
}

const EMPTY: OpenAnswer = { headers: new Map(), body: openBody(undefined) };

function isList(cost: NonNullable<ReadingOptions['cost']>): cost is readonly ValueSource[] {
  return Array.isArray(cost);
}

function withMatch(read: ValueReader, matches: (values: readonly unknown[]) => boolean) {
  return (answer: OpenAnswer): boolean => matches(read(answer));
}

function compileAnswerMatch(
  when: AnswerMatch,
  source: (from: ValueSource) => ValueReader,
  want: (path: string) => void,
): RulePlan['matches'] {
  const statuses = typeof when.status === 'number' ? [when.status] : when.status;
  const headers = Object.entries(when.headers ?? {}).map(([name, match]) =>
    withMatch(source(name), compileMatch(match)),
  );
  const bodies = Object.entries(when.body ?? {}).map(([path, match]) => {
    want(path);
    const find = compilePath(path);
    const piece = rarePiece(path);
    const matches = compileMatch(match);
    return (answer: OpenAnswer): boolean => matches(find(answer.body.at(piece)));
  });
  return (answer, facts) =>
    (statuses === undefined || statuses.includes(facts.status)) &&
    (when.hinted === undefined || when.hinted === facts.hinted) &&
    (when.remaining === undefined || when.remaining === facts.remaining) &&
    headers.every((matches) => matches(answer)) &&
    bodies.every((matches) => matches(answer));
}
