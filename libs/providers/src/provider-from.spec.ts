import { isSluiceError, type ProviderContract, slidingWindow } from '../../core/src/index.js';
import { CATALOGUE } from './catalogue.js';
import { genericProvider, gitlab, hubspot, pipedrive, shopify, xero } from './index.js';
import { type ContractSettings, providerFrom } from './provider-from.js';

/** Every option of a contract; the compiler sees to it that none is left out. */
const OPTIONS: Readonly<Record<keyof Required<ContractSettings>, true>> = {
  name: true,
  http: true,
  dimensions: true,
  limits: true,
  routes: true,
  units: true,
  defaultUnits: true,
  settleUnits: true,
  safe: true,
  graphql: true,
  lanes: true,
  tenants: true,
  queue: true,
  timeouts: true,
  retry: true,
  pause: true,
  breaker: true,
  reading: true,
  quotaHeaders: true,
  statuses: true,
  classify: true,
  auth: true,
  idempotency: true,
  reconcile: true,
  beforeSend: true,
  demand: true,
  ourShare: true,
  guard: true,
  outage: true,
  mode: true,
};

describe('what a user gives beside a provider of the catalogue', () => {
  it.each(CATALOGUE.map((profile) => [profile.name, profile] as const))(
    'no number or choice of %s stands in the way of an option of a contract',
    (_, { numbers, choices }) => {
      const own = [...Object.keys(numbers), ...Object.keys(choices)];
      expect(own.filter((name) => Object.hasOwn(OPTIONS, name))).toEqual([]);
      expect(new Set(own).size).toBe(own.length);
    },
  );

  it('adds routes to those of the catalogue, which come first', () => {
    const known = gitlab().resolved.routes.map(({ name }) => name);
    const { routes } = gitlab({ routes: { mine: 'GET /mine' } }).resolved;
    expect(routes.map(({ name }) => name)).toEqual([...known, 'mine']);
  });

  it.each(CATALOGUE.map((profile) => [profile.name, profile] as const))(
    'may leave dimensions of %s out: what was counted by them is counted for all',
    (_, profile) => {
      const make = providerFrom(profile) as (settings?: object) => ProviderContract;
      const whole = make().resolved;
      const none = make({ dimensions: [] }).resolved;
      expect(none.limits.flatMap(({ countedBy }) => countedBy)).toEqual([]);
      expect(none.limits.map(({ name }) => name)).toEqual(whole.limits.map(({ name }) => name));
      for (const dimension of whole.dimensions) {
        const { limits } = make({ dimensions: [dimension] }).resolved;
        expect(limits.map(({ countedBy }) => countedBy)).toEqual(
          whole.limits.map(({ countedBy }) => countedBy.filter((each) => each === dimension)),
        );
      }
    },
  );

  it('takes the place of all limits, and what the provider tells of others is told of none', () => {
    const limits = [slidingWindow({ name: 'minute', limit: 7, per: '1m' })];
    const { resolved } = xero({ limits });
    expect(resolved.limits.map(({ name }) => name)).toEqual(['minute']);
    expect(new Set(Object.values(resolved.reading.scopes ?? {}))).toEqual(new Set(['minute']));
    expect(xero({ limits: [] }).resolved.reading.scopes).toEqual({});
  });

  it('may add limits to those of the catalogue', () => {
    const mine = slidingWindow({ name: 'mine', limit: 7, per: '1m' });
    const { resolved } = xero({ limits: (known) => [...known, mine] });
    expect(resolved.limits.map(({ name }) => name)).toEqual([
      ...xero().resolved.limits.map(({ name }) => name),
      'mine',
    ]);
    expect(resolved.reading.scopes).toEqual(xero().resolved.reading.scopes);
  });

  it('is told of all its choices and numbers that cannot be meant, with whose they are, what was given and what is expected', () => {
    let told: unknown;
    try {
      xero({ name: 'books', tier: 'gold', perMinute: -1, concurrent: '5', perDay: 0 } as never);
    } catch (error) {
      told = error;
    }
    expect(isSluiceError(told, 'CONFIG')).toBe(true);
    expect(told).toMatchObject({ provider: 'books' });
    expect((told as Error).message.split('\n')).toEqual([
      'Provider "books": tier is "gold"; expected one of: starter, standard. And 3 more:',
      '- perMinute is -1; expected a number above 0.',
      '- perDay is 0; expected a number above 0.',
      '- concurrent is "5"; expected a whole number from 1.',
    ]);
  });

  it.each(CATALOGUE.map((profile) => [profile.name, profile] as const))(
    'is refused by the name that %s has for it, where it counts what cannot be halved',
    (_, profile) => {
      const make = providerFrom(profile) as (settings: object) => ProviderContract;
      const refused = Object.keys(profile.numbers).flatMap((number) => {
        try {
          const { only } = profile.numbers[number]!;
          make({ ...(only === undefined ? {} : { [only.by]: only.in[0] }), [number]: 2.5 });
          return [];
        } catch (error) {
          return [(error as Error).message];
        }
      });
      const whole = Object.keys(profile.numbers).filter((number) => profile.numbers[number]?.whole);
      expect(refused).toEqual(
        whole.map((number) => `Provider "${profile.name}": ${number} is 2.5; expected a whole number from 1.`),
      );
    },
  );

  it('is refused where it is no name, or no object of options, as in any contract', () => {
    expect(() => xero({ name: 5 } as never)).toThrow(/name is 5/);
    expect(() => xero({ http: 'https://books.example' } as never)).toThrow(/http is a value of type string/);
    expect(() => gitlab({ routes: null } as never)).toThrow(/routes is null/);
    expect(() => gitlab({ routes: ['GET /mine'] } as never)).toThrow(/routes is \["GET/);
  });

  it.each([
    ['null', null, 'null'],
    ['a text', 'professional', '"professional"'],
    ['a list', [], '[]'],
  ])('is an object, and not %s', (_what, given, shown) => {
    expect(() => xero(given as never)).toThrow(
      `Provider "xero": what it is given is ${shown}; expected an object of options, or nothing.`,
    );
  });

  it('is told of an option that there is not: the own ones first, and the one that is near', () => {
    expect(() => shopify({ plna: 'plus' } as never)).toThrow(
      /^Provider "shopify": plna is not an option; expected one of its own: api, plan, pointsPerSecond, .*; or one of a contract: name, http, .* \(did you mean plan\?\)\.$/,
    );
    expect(() => hubspot({ perMinute: 10, plan: 'gold' } as never)).toThrow(
      /"hubspot": perMinute is not an option; expected one of its own: app, plan, timeZone, perTenSeconds.*\n- plan is "gold"/s,
    );
    expect(() => genericProvider({ limts: [] } as never)).toThrow(
      /"generic": limts is not an option; expected one of a contract: name, .* \(did you mean limits\?\)/,
    );
  });

  it('is told which of its functions failed, and why', () => {
    const cause = new Error('no such tier');
    const limits = () => {
      throw cause;
    };
    expect(() => xero({ name: 'books', limits })).toThrow(
      expect.objectContaining({
        code: 'CONFIG',
        cause,
        message: expect.stringMatching(/^Provider "books": limits is a function that failed; expected /),
      }),
    );
  });

  it('says what a limit counts where calls of the provider cost something else than requests', () => {
    const mine = slidingWindow({ limit: 2, per: '1s' });
    const refusal =
      'Provider "hubspot": limits[0].unit is not given, so it counts requests; expected \'calls\', which is what calls of ' +
      "this provider cost, or 'requests' where each is to count as one.";
    expect(() => hubspot({ limits: [mine] })).toThrow(refusal);
    expect(() => hubspot({ limits: () => [mine] })).toThrow(refusal);
    for (const unit of ['calls', 'requests'])
      expect(hubspot({ limits: [{ ...mine, unit }] }).resolved.limits).toHaveLength(1);
    // A limit of the catalogue that counts requests there counts them here too.
    expect(pipedrive({ limits: [{ ...mine, name: 'burst' }] }).resolved.limits).toHaveLength(1);
    expect(hubspot({ limits: (known) => [...known, mine] }).resolved.limits).toHaveLength(4);
    expect(hubspot({ limits: [mine], units: () => ({ requests: 1 }) }).resolved.limits).toHaveLength(1);
  });
});
