/** From what is known of a provider, and what the user knows better, to its contract. */
import { configError, defineProvider, type ProviderContract, type ProviderOptions } from '../../core/src/index.js';
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
 * Its function throws a SluiceError CONFIG on a number, a choice or an option that cannot be meant.
 */
export function providerFrom<
  N extends Readonly<Record<string, NumberFact>>,
  C extends Readonly<Record<string, Choice>>,
>(profile: Profile<N, C>): (settings?: Settings<N, C>) => ProviderContract {
  return (settings = {} as Settings<N, C>) => defineProvider(optionsOf(profile as unknown as Profile, settings));
}

function optionsOf(profile: Profile, settings: Readonly<Record<string, unknown>>): ProviderOptions {
  if (typeof settings !== 'object' || settings === null) {
    throw configError(profile.name, 'the settings', settings, 'an object, or none');
  }
  const name = typeof settings['name'] === 'string' ? settings['name'] : profile.name;
  const chosen: Record<string, number | string> = {};
  for (const [choice, fact] of Object.entries(profile.choices)) chosen[choice] = chosenOf(name, choice, fact, settings);
  for (const [number, fact] of Object.entries(profile.numbers)) {
    chosen[number] = numberOf(name, number, fact, settings, chosen);
  }
  const known = profile.contract(chosen as Chosen<Profile['numbers'], Profile['choices']>);
  const given = Object.fromEntries(
    Object.entries(settings)
      .filter(([key, value]) => value !== undefined && !Object.hasOwn(chosen, key))
      .map(([key, value]) => [key, key === 'limits' && typeof value === 'function' ? value(known.limits) : value]),
  ) as Partial<ProviderOptions>;
  return { ...known, ...given, ...within(known, given), ...ofLimitsGiven(known, given), name };
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

/** Of these groups the user gives single options. */
function within(known: Omit<ProviderOptions, 'name'>, given: Partial<ProviderOptions>): Partial<ProviderOptions> {
  const both = (key: 'http' | 'retry' | 'pause' | 'routes') =>
    known[key] !== undefined && given[key] !== undefined ? { [key]: { ...known[key], ...given[key] } } : {};
  return { ...both('http'), ...both('retry'), ...both('pause'), ...both('routes') };
}

function chosenOf(
  name: string,
  choice: string,
  { values, value }: Choice,
  settings: Readonly<Record<string, unknown>>,
) {
  const given = settings[choice];
  if (given === undefined) return value;
  if (typeof given !== 'string' || (values !== undefined && !values.includes(given))) {
    throw configError(name, choice, given, values === undefined ? 'a text' : `one of: ${values.join(', ')}`);
  }
  return given;
}

function numberOf(
  name: string,
  number: string,
  { value }: NumberFact,
  settings: Readonly<Record<string, unknown>>,
  chosen: Readonly<Record<string, number | string>>,
): number {
  const given = settings[number];
  if (given === undefined) return typeof value === 'number' ? value : (value.of[chosen[value.by] as string] as number);
  if (typeof given !== 'number' || !(given > 0 && given < Infinity)) {
    throw configError(name, number, given, 'a number above 0');
  }
  return given;
}
