import { readdirSync, readFileSync } from 'node:fs';
import {
  defineProvider,
  type ProviderContract,
  type ProviderOptions,
  readAnswer,
  volatileQuotaMissing,
} from '../../core/src/index.js';
import { camelCase } from '../../../scripts/providers-page.mjs';
import { CATALOGUE } from './catalogue.js';
import * as providers from './index.js';
import type { Profile } from './profile.js';

const YEAR_MS = 366 * 86_400_000;

interface Row {
  readonly provider: string;
  readonly case: string;
  readonly profile: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly now: string;
  readonly expect: object;
  readonly source: string;
  readonly settings?: object;
}

const rowsOf = (file: string): Row[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);

const ANSWERS = 'test/cases/answers';
const own = readdirSync(ANSWERS).flatMap((file) => rowsOf(`${ANSWERS}/${file}`));
const rows = [...rowsOf('test/cases/headers.providers.jsonl'), ...own];

function contractOf(name: string, settings: object = {}): ProviderContract {
  const made = (providers as unknown as Record<string, (settings: object) => ProviderContract>)[camelCase(name)];
  if (made === undefined) throw new Error(`nothing is exported for ${name}`);
  return made(settings);
}

/** What is left when functions are taken out, and the functions by where they stood. */
function withoutFunctions(options: ProviderOptions): [object, object] {
  const entries = Object.entries(options);
  const isFunction = ([, value]: [string, unknown]) => typeof value === 'function';
  return [
    Object.fromEntries(entries.filter((one) => !isFunction(one))),
    Object.fromEntries(entries.filter(isFunction)),
  ];
}

/** Each choice with each of its values, all others at their defaults; of those of a number only such as use it. */
function settingsOf({ choices, numbers }: Profile, number?: string): object[] {
  const only = number === undefined ? undefined : numbers[number]?.only;
  return [
    {},
    ...Object.entries(choices).flatMap(([name, { values = [] }]) => values.map((value) => ({ [name]: value }))),
  ].filter((settings) => only === undefined || only.in.includes(valueOf(choices, settings, only.by)));
}

const valueOf = (choices: Profile['choices'], settings: object, name: string): string =>
  (settings as Record<string, string>)[name] ?? choices[name]?.value ?? '';

describe.each(CATALOGUE.map((profile) => [profile.name, profile] as const))('%s', (name, profile) => {
  it('is a contract that validates, is frozen and can be written as JSON but for its functions', () => {
    for (const settings of settingsOf(profile)) {
      const { resolved } = contractOf(name, settings);
      expect(Object.isFrozen(resolved.limits)).toBe(true);
      const [data, functions] = withoutFunctions(resolved.options);
      const written = JSON.parse(JSON.stringify(data)) as object;
      expect(written).toEqual(data);
      expect(defineProvider({ ...written, ...functions } as ProviderOptions).resolved).toEqual(resolved);
    }
  });

  it('takes another number for each of its numbers', () => {
    const before = JSON.stringify(contractOf(name).resolved);
    for (const number of Object.keys(profile.numbers)) {
      const found = settingsOf(profile, number).some((settings) => {
        const without = JSON.stringify(contractOf(name, settings).resolved);
        return JSON.stringify(contractOf(name, { ...settings, [number]: 7 }).resolved) !== without;
      });
      // What only a function uses does not show in the data.
      const { units, settleUnits } = contractOf(name).resolved.options;
      expect([number, found || units !== undefined || settleUnits !== undefined]).toEqual([number, true]);
    }
    expect(JSON.stringify(contractOf(name).resolved)).toBe(before);
  });

  it('uses each of its numbers with whatever choices, or refuses it and says which choice would use it', () => {
    for (const [number, { only }] of Object.entries(profile.numbers)) {
      for (const settings of settingsOf(profile)) {
        const made = (given: object) => JSON.stringify(contractOf(name, { ...settings, ...given }).resolved);
        if (only !== undefined && !only.in.includes(valueOf(profile.choices, settings, only.by))) {
          expect(() => made({ [number]: 7 })).toThrow(
            `${number} is 7; expected nothing: it is used only where ${only.by} is `,
          );
          continue;
        }
        // What only a function uses does not show in the data; what is far from the others' may not go together with them.
        const inFunction = name === 'shopify' && ['mutationPoints', 'queryPoints'].includes(number);
        const without = made({});
        const used = [7, 13].some((given) => {
          try {
            return made({ [number]: given }) !== without;
          } catch {
            return true;
          }
        });
        expect([number, settings, inFunction || used]).toEqual([number, settings, true]);
      }
    }
  });

  it('gives a number for each value of the choice that a number depends on', () => {
    for (const { value } of Object.values(profile.numbers)) {
      if (typeof value === 'number') continue;
      expect(Object.keys(value.of)).toEqual(profile.choices[value.by]?.values);
    }
  });

  it('names its pages, compared within a year', () => {
    expect(profile.sources.length).toBeGreaterThan(0);
    for (const { url, checked } of profile.sources) {
      expect(new URL(url).protocol).toBe('https:');
      const ageMs = Date.now() - Date.parse(`${checked}T00:00:00Z`);
      expect(ageMs).toBeGreaterThan(-2 * 86_400_000);
      expect(ageMs).toBeLessThan(YEAR_MS);
    }
  });

  it('says how a refusal looks and what may be sent again', () => {
    expect(profile.notes.refused.length).toBeGreaterThan(0);
    expect(profile.notes.resend.length).toBeGreaterThan(0);
    const { idempotency } = contractOf(name).resolved;
    expect(idempotency !== null).toBe(profile.notes.idempotency !== undefined);
  });
});

describe('answers of the providers of the catalogue', () => {
  it('are 106, and more than a hundred of our own', () => {
    expect(rows.length - own.length).toBe(106);
    expect(own.length).toBeGreaterThan(100);
  });

  it.each(rows.map((row) => [`${row.profile}: ${row.case}`, row] as const))('%s is read as its row says', (_, row) => {
    const { status, headers, body, now } = row;
    const answer = { status, headers, body, receivedAt: new Date(now) };
    const reading = readAnswer(contractOf(row.profile, row.settings), answer);
    expect(JSON.parse(JSON.stringify(reading))).toMatchObject(row.expect);
  });
});

describe('an override that cannot be meant', () => {
  it('is refused with its name and what is expected', () => {
    expect(() => providers.xero({ perMinute: -1 })).toThrow(/xero.*perMinute.*-1.*a number above 0/s);
    expect(() => providers.xero({ tier: 'gold' as never })).toThrow(/tier.*gold.*starter, standard/s);
    expect(() => providers.xero({ perMinut: 3 } as never)).toThrow(/perMinut/);
  });

  it('leaves what is not named', () => {
    const { resolved } = providers.xero({ http: { timeout: 5 }, perMinute: 30, name: 'books' });
    expect(resolved.name).toBe('books');
    expect(resolved.options.http).toEqual({ baseURL: 'https://api.xero.com/api.xro/2.0', timeout: 5 });
    expect(resolved.limits.find(({ name }) => name === 'minute')).toMatchObject({ limit: 30 });
  });
});

describe('quotas of the catalogue', () => {
  it('start without a store, as the page says', () => {
    expect(CATALOGUE.flatMap(({ name }) => volatileQuotaMissing(contractOf(name)))).toEqual([]);
  });
});
