import type { AnswerMeaning } from '../model/outcome.js';
import type { ContractReading, QuotaHeaderOptions, TimeForm, WindowOptions } from '../reading/options.js';
import type { ProviderOptions } from './options.js';
import type { ResolvedLimit } from './resolved.js';

const FORMS: Readonly<Record<NonNullable<QuotaHeaderOptions['unit']>, TimeForm>> = {
  s: 'seconds',
  ms: 'milliseconds',
  'epoch-s': 'epoch-seconds',
  'epoch-ms': 'epoch-milliseconds',
  date: 'date',
};

export const QUOTA_HEADER_UNITS: readonly string[] = Object.keys(FORMS);

/** Compiles the short forms into the full vocabulary: there is one way to read. */
export function resolveReading(options: ProviderOptions, limits: readonly ResolvedLimit[]): ContractReading {
  const { reading = {}, quotaHeaders, statuses, classify } = options;
  return {
    ...reading,
    ...(quotaHeaders === undefined || quotaHeaders.length === 0
      ? {}
      : {
          windows: [...quotaHeaders.map((each) => windowOf(each, limits)), ...(reading.windows ?? [])],
          scopes: { ...reading.scopes, ...Object.fromEntries(quotaHeaders.map(({ limit }) => [limit, limit])) },
        }),
    ...(statuses === undefined ? {} : { rules: [...(reading.rules ?? []), ...rulesOf(statuses)] }),
    ...(classify === undefined ? {} : { classify }),
  };
}

function windowOf(of: QuotaHeaderOptions, limits: readonly ResolvedLimit[]): WindowOptions {
  const unit = limits.find(({ name }) => name === of.limit)?.unit ?? 'requests';
  return {
    scope: of.limit,
    ...(unit === 'requests' ? {} : { unit }),
    ...(of.remaining === undefined ? {} : { remaining: of.remaining }),
    ...(of.used === undefined ? {} : { used: of.used }),
    ...(of.limitHeader === undefined ? {} : { limit: of.limitHeader }),
    ...(of.reset === undefined
      ? {}
      : { reset: of.unit === undefined ? of.reset : { from: of.reset, as: FORMS[of.unit] } }),
  };
}

/** One rule for all statuses of a meaning. */
function rulesOf(statuses: Readonly<Record<number, AnswerMeaning>>): NonNullable<ContractReading['rules']> {
  const byMeaning = new Map<AnswerMeaning, number[]>();
  for (const [status, means] of Object.entries(statuses)) {
    const list = byMeaning.get(means);
    if (list === undefined) byMeaning.set(means, [Number(status)]);
    else list.push(Number(status));
  }
  return [...byMeaning].map(([means, status]) => ({ when: { status }, means }));
}
