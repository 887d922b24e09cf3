import { warnings } from '../../libs/core/src/contract/facts.js';
import { matchRoute } from '../../libs/core/src/contract/match-route.js';
import { trueUnitsOf, unitsOf } from '../../libs/core/src/contract/units.js';
import { type ProviderContract, readAnswer, type RequestView, type ResolvedLimit } from '../../libs/core/src/index.js';
import { CATALOGUE } from '../../libs/providers/src/catalogue.js';
import type { Profile } from '../../libs/providers/src/profile.js';
import { providerFrom } from '../../libs/providers/src/provider-from.js';

/** All choices with all their values. */
function settingsOf({ choices }: Profile): object[] {
  return Object.entries(choices).reduce<object[]>(
    (all, [name, { values = [] }]) =>
      values.length === 0 ? all : all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
}

/** Paths that a template is for: with its optional parts, and without. */
function samplesOf(template: string): string[] {
  let short = template;
  while (short.includes('{')) short = short.replace(/\{[^{}]*\}/g, '');
  return [short, template.replace(/[{}]/g, '')].map((path) => path.replace(/[*:]\w+/g, 'x1'));
}

function unfrozen(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const within = Object.entries(value).flatMap(([key, each]) => unfrozen(each, `${path}.${key}`));
  return Object.isFrozen(value) ? within : [path, ...within];
}

/** What no request or answer should be, and some are. */
const ODD: readonly unknown[] = [
  undefined,
  null,
  'text',
  '{',
  7,
  [],
  [null],
  {},
  { data: null, usage: null, model: 5 },
];

const applies = ({ routes }: ResolvedLimit, route: string | null) =>
  routes === null || (route !== null && routes.includes(route));
const roomOf = (limit: ResolvedLimit) => (limit.kind === 'token-bucket' ? limit.burst : limit.limit);

describe.each(CATALOGUE.map((profile) => [profile.name, profile] as const))(
  '%s, with whatever choices',
  (_, profile) => {
    const make = providerFrom(profile) as (settings?: object) => ProviderContract;
    const all = settingsOf(profile).map((settings) => [settings, make(settings)] as const);

    it('is frozen through and through, and loses to the usual guard no more than a tenth of any rate', () => {
      for (const [settings, contract] of all) {
        expect([settings, unfrozen(contract, 'contract'), warnings(contract)]).toEqual([settings, [], []]);
      }
    });

    it('has no route that stands behind another', () => {
      for (const [, { resolved }] of all) {
        for (const { name, method, template } of resolved.routes) {
          // Of a route for every method those that have one of their own are taken out.
          const found = samplesOf(template).flatMap((path) =>
            (method === '*' ? ['GET', 'POST', 'PURGE'] : [method]).map((each) => matchRoute(resolved, each, path)),
          );
          expect([template, found.includes(name)]).toEqual([template, true]);
          if (method !== '*') expect([template, found]).toEqual([template, found.map(() => name)]);
        }
      }
    });

    it('can charge, correct and read every request and answer, however odd, and lets each of them start one day', () => {
      const failures = new Set<string>();
      const failed = (at: string, error: unknown) => failures.add(`${at}: ${(error as Error).message}`);
      for (const [, contract] of all) {
        const { resolved } = contract;
        const paths = [
          ...resolved.routes.map((route) => [route.method, samplesOf(route.template)[0] as string]),
          ['GET', '/any'],
          ['POST', '/any'],
        ];
        for (const [of, path] of paths as [string, string][]) {
          for (const body of ODD) {
            const verb = of === '*' ? 'POST' : of;
            const request: RequestView = {
              method: verb,
              path,
              query: {},
              headers: {},
              body,
              route: matchRoute(resolved, verb, path),
            };
            const units = unitsOf(resolved, request, undefined, failed);
            for (const limit of resolved.limits) {
              if (limit.kind === 'concurrency' || !applies(limit, request.route)) continue;
              if ((units[limit.unit] ?? 0) > roomOf(limit))
                failures.add(`${limit.name} has no room for ${verb} ${path}`);
            }
            const answer = { headers: {}, body, request };
            for (const status of [200, 429, 500]) {
              trueUnitsOf(resolved, { ...answer, status }, units, failed);
              readAnswer(contract, { ...answer, status, receivedAt: new Date() }, (error) => failed('classify', error));
            }
          }
        }
      }
      expect([...failures]).toEqual([]);
    });
  },
);
