/** What the user chose of a provider's choices and numbers, every default filled in. */
import { configError, SluiceError } from '../../core/src/index.js';
import type { Choice, NumberFact, Profile } from './profile.js';

type Values = Record<string, number | string>;

/** @throws SluiceError CONFIG that lists every choice and number that cannot be meant. */
export function chosenFrom(
  { choices, numbers }: Profile,
  provider: string,
  settings: Readonly<Record<string, unknown>>,
): Values {
  const chosen: Values = {};
  const wrong: SluiceError[] = [];
  const take = (option: string, usual: number | string, isMeant: (given: unknown) => boolean, expected: string) => {
    const given = settings[option];
    if (given !== undefined && !isMeant(given)) wrong.push(configError(provider, option, given, expected));
    chosen[option] = given === undefined ? usual : (given as number | string);
  };
  for (const [name, choice] of Object.entries(choices)) take(name, choice.value, isOneOf(choice), namesOf(choice));
  for (const [name, fact] of Object.entries(numbers)) {
    const idle = idleBecause(fact, chosen);
    if (idle !== null && settings[name] !== undefined) wrong.push(configError(provider, name, settings[name], idle));
    if (idle !== null) chosen[name] = usualOf(fact, chosen);
    else if (fact.whole) take(name, usualOf(fact, chosen), isWhole, 'a whole number from 1');
    else take(name, usualOf(fact, chosen), isNumber, 'a number above 0');
  }
  refuse(provider, wrong);
  return chosen;
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

function refuse(provider: string, wrong: readonly SluiceError[]): void {
  const [first, ...others] = wrong;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  const more = others.map(({ message }) => `\n- ${message}`).join('');
  throw new SluiceError({ code: 'CONFIG', provider, message: `${first.message} And ${others.length} more:${more}` });
}
