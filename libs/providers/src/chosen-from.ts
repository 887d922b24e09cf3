/** What the user chose of a provider's choices and numbers, every default filled in. */
import { configErrorOf, didYouMean, type Finding, PROVIDER_OPTIONS, showValue } from '../../core/src/index.js';
import type { Choice, NumberFact, Profile } from './profile.js';

type Values = Record<string, number | string>;

/** @throws SluiceError CONFIG that lists every option that there is not, and every choice and number that cannot be meant. */
export function chosenFrom(
  { choices, numbers }: Profile,
  provider: string,
  settings: Readonly<Record<string, unknown>>,
): Values {
  const chosen: Values = {};
  const wrong: Finding[] = [...unknownOptions({ choices, numbers }, settings)];
  const take = (option: string, usual: number | string, isMeant: (given: unknown) => boolean, expected: string) => {
    const given = settings[option];
    if (given !== undefined && !isMeant(given)) wrong.push({ option, found: showValue(given), expected });
    chosen[option] = given === undefined ? usual : (given as number | string);
  };
  for (const [name, choice] of Object.entries(choices)) take(name, choice.value, isOneOf(choice), namesOf(choice));
  for (const [name, fact] of Object.entries(numbers)) {
    const idle = idleBecause(fact, chosen);
    if (idle !== null && settings[name] !== undefined)
      wrong.push({ option: name, found: showValue(settings[name]), expected: idle });
    if (idle !== null) chosen[name] = usualOf(fact, chosen);
    else if (fact.whole) take(name, usualOf(fact, chosen), isWhole, 'a whole number from 1');
    else take(name, usualOf(fact, chosen), isNumber, 'a number above 0');
  }
  if (wrong.length > 0) throw configErrorOf(provider, wrong);
  return chosen;
}

/** The provider's own options come first: they are what somebody who looks here can mean. Values are not shown: they may be credentials. */
function unknownOptions(
  { choices, numbers }: Pick<Profile, 'choices' | 'numbers'>,
  settings: Readonly<Record<string, unknown>>,
): readonly Finding[] {
  const own = [...Object.keys(choices), ...Object.keys(numbers)];
  const known = [...own, ...PROVIDER_OPTIONS];
  const all = `${own.length === 0 ? '' : `one of its own: ${own.join(', ')}; or `}one of a contract: ${PROVIDER_OPTIONS.join(', ')}`;
  return Object.keys(settings)
    .filter((option) => !known.includes(option))
    .map((option) => ({ option, found: 'not an option', expected: all + didYouMean(option, known) }));
}

/** Why a number has nothing to do; null = it has. A number that is given and does nothing would be believed to be obeyed. */
function idleBecause({ only }: NumberFact, chosen: Values): string | null {
  if (only === undefined || only.in.includes(String(chosen[only.by]))) return null;
  const values = only.in.map((value) => JSON.stringify(value)).join(' or ');
  return `nothing: it is used only where ${only.by} is ${values}, and ${only.by} is ${JSON.stringify(chosen[only.by])}`;
}

const isOneOf =
  ({ values }: Choice) =>
  (given: unknown): boolean =>
    typeof given === 'string' && (values === undefined || values.includes(given));

const namesOf = ({ values }: Choice): string => (values === undefined ? 'a text' : `one of: ${values.join(', ')}`);

const isNumber = (given: unknown): boolean => typeof given === 'number' && given > 0 && given < Infinity;

const isWhole = (given: unknown): boolean => Number.isSafeInteger(given) && (given as number) > 0;

/** Where a number depends on a choice that is none, it is not asked for: the choice is refused. */
function usualOf({ value }: NumberFact, chosen: Values): number {
  return typeof value === 'number' ? value : (value.of[chosen[value.by] as string] as number);
}
