/** From what is known of a provider, and what the user knows better, to its contract. */
import {
  configError,
  configErrorOf,
  defineProvider,
  type ProviderContract,
  type ProviderOptions,
  SluiceError,
} from '../../core/src/index.js';
import { belowAnyBase } from './below-any-base.js';
import { chosenFrom } from './chosen-from.js';
import type { Choice, Chosen, NumberFact, Profile } from './profile.js';

/**
 * Options of a contract that a user may give beside the provider's own: each takes the place of the catalogue's, within `http`,
 * `retry`, `pause` and `routes` option by option. `limits` may be a function of the catalogue's:
 * `(known) => [...known, tokenBucket({ ... })]`. Of limits that are not there any more answers are read all the same; they mean
 * those that still have the name.
 */
export type ContractSettings = Omit<Partial<ProviderOptions>, 'limits'> & {
  readonly limits?: ProviderOptions['limits'] | ((known: ProviderOptions['limits']) => ProviderOptions['limits']);
};

/** What a provider of the catalogue takes: its numbers, its choices, and any option of a contract. */
export type Settings<N, C> = { readonly [Name in keyof N]?: number } & {
  readonly [Name in keyof C]?: C[Name] extends { readonly values: readonly (infer Value)[] } ? Value : string;
} & ContractSettings;

/**
 * The function that makes the contract of a provider of the catalogue.
 *
 * Its function throws a SluiceError CONFIG on numbers and choices that cannot be meant, all of them in one; else on options that
 * cannot.
 */
export function providerFrom<
  N extends Readonly<Record<string, NumberFact>>,
  C extends Readonly<Record<string, Choice>>,
>(profile: Profile<N, C>): (settings?: Settings<N, C>) => ProviderContract {
  return (settings = {} as Settings<N, C>) => defineProvider(optionsOf(profile as unknown as Profile, settings));
}

function optionsOf(profile: Profile, settings: Readonly<Record<string, unknown>>): ProviderOptions {
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
    throw configError(profile.name, 'what it is given', settings, 'an object of options, or nothing');
  }
  const { name = profile.name } = settings as Partial<ProviderOptions>;
  const chosen = chosenFrom(profile, typeof name === 'string' ? name : profile.name, settings);
  const { http, dimensions } = settings as Partial<ProviderOptions>;
  const known = countedWithin(
    belowAnyBase(profile.contract(chosen as Chosen<Profile['numbers'], Profile['choices']>), http?.baseURL),
    dimensions,
  );
  const given = Object.fromEntries(
    Object.entries(settings)
      .filter(([key, value]) => value !== undefined && !Object.hasOwn(chosen, key))
      .map(([key, value]) => [
        key,
        key === 'limits' && typeof value === 'function' ? limitsBy(value as LimitsOf, known, name) : value,
      ]),
  ) as Partial<ProviderOptions>;
  refuseForgottenUnits(name, known, given);
  return { ...known, ...given, ...within(known, given), ...ofLimitsGiven(known, given), name };
}

/** Who leaves a dimension out has one of each: what the catalogue counts by it is counted for all. */
function countedWithin(known: Omit<ProviderOptions, 'name'>, dimensions: unknown): Omit<ProviderOptions, 'name'> {
  if (!Array.isArray(dimensions)) return known;
  const limits = known.limits.map((limit) =>
    limit.countedBy === undefined
      ? limit
      : { ...limit, countedBy: limit.countedBy.filter((dimension) => dimensions.includes(dimension)) },
  );
  return { ...known, limits };
}

/** Scopes of limits that are not there any more mean none. */
function ofLimitsGiven(
  { reading }: Omit<ProviderOptions, 'name'>,
  given: Partial<ProviderOptions>,
): Partial<ProviderOptions> {
  const { limits } = given;
  if (!Array.isArray(limits) || given.reading !== undefined || reading?.scopes === undefined) return {};
  const names = new Set((limits as ProviderOptions['limits']).map((limit) => limit?.name));
  const scopes = Object.fromEntries(Object.entries(reading.scopes).filter(([, limit]) => names.has(limit)));
  return { reading: { ...reading, scopes } };
}

/** Of these groups the user gives single options. What is no group is left as it is, for the contract to refuse. */
function within(known: Omit<ProviderOptions, 'name'>, given: Partial<ProviderOptions>): Partial<ProviderOptions> {
  const both = (key: 'http' | 'retry' | 'pause' | 'routes') =>
    known[key] !== undefined && isGroup(given[key]) ? { [key]: { ...known[key], ...given[key] } } : {};
  return { ...both('http'), ...both('retry'), ...both('pause'), ...both('routes') };
}

const isGroup = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

type LimitsOf = (known: ProviderOptions['limits']) => unknown;

function limitsBy(limits: LimitsOf, known: Omit<ProviderOptions, 'name'>, provider: string): unknown {
  try {
    return limits(known.limits);
  } catch (cause) {
    const message = `Provider "${provider}": limits is a function that failed; expected one that makes a list of limits of those it is given. See the cause.`;
    throw new SluiceError({ code: 'CONFIG', provider, message, cause });
  }
}

/**
 * A limit of the user's own that names no unit counts requests. Where the calls of this provider cost something else, and no
 * limit counts that any more, it was forgotten: searches that are free there would be counted, or what is dear would cost one.
 */
function refuseForgottenUnits(
  provider: string,
  known: Omit<ProviderOptions, 'name'>,
  { limits, units }: Partial<ProviderOptions>,
): void {
  if (!Array.isArray(limits) || units !== undefined || known.units === undefined) return;
  const given = limits as ProviderOptions['limits'];
  const costs = [...new Set(known.limits.flatMap(({ unit }) => unit ?? []))].filter((unit) => unit !== 'requests');
  if (costs.length === 0 || given.some((limit) => costs.includes(limit?.unit ?? ''))) return;
  const counted = new Set(known.limits.filter(({ unit }) => unit === undefined).map(({ name }) => name));
  const index = given.findIndex(
    (limit) =>
      limit?.unit === undefined &&
      limit?.kind !== 'concurrency' &&
      !(limit?.name !== undefined && counted.has(limit.name)),
  );
  if (index < 0) return;
  const words = costs.map((unit) => `'${unit}'`).join(' or ');
  throw configErrorOf(provider, [
    {
      option: `limits[${index}].unit`,
      found: 'not given, so it counts requests',
      expected: `${words}, which is what calls of this provider cost, or 'requests' where each is to count as one`,
    },
  ]);
}
