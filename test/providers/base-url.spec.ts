import { matchRoute } from '../../libs/core/src/contract/match-route.js';
import { unitsOf } from '../../libs/core/src/contract/units.js';
import type { ProviderContract } from '../../libs/core/src/index.js';
import { CATALOGUE } from '../../libs/providers/src/catalogue.js';
import { gitlab, hubspot, msgraph } from '../../libs/providers/src/index.js';
import { providerFrom } from '../../libs/providers/src/provider-from.js';

/** A path that a template is for: its optional parts left out, one segment for each parameter. */
function sampleOf(template: string): string {
  let path = template;
  while (path.includes('{')) path = path.replace(/\{[^{}]*\}/g, '');
  return path.replace(/[*:]\w+/g, 'x1');
}

const PROXY = '/behind/proxy';

function charged({ resolved }: ProviderContract, method: string, path: string) {
  const route = matchRoute(resolved, method, path);
  const request = { method, path, query: {}, headers: {}, body: undefined, route };
  return { route, units: unitsOf(resolved, request, undefined, () => undefined) };
}

describe.each(CATALOGUE.map((profile) => [profile.name, profile] as const))('%s', (_, profile) => {
  const make = providerFrom(profile) as (settings?: object) => ProviderContract;
  const usual = make();
  const { baseURL } = usual.resolved.options.http ?? {};
  const home = baseURL === undefined ? '' : new URL(baseURL).pathname.replace(/\/$/, '');
  const at = (base: string) => make({ http: { baseURL: `https://other.example${base}` } });

  it.each([
    ['a proxy with a path of its own', PROXY, PROXY],
    ['a server without a path', '', home],
    ['a proxy before that server', PROXY, `${PROXY}${home}`],
  ])('counts a request the same behind %s', (__, base, before) => {
    const other = at(base);
    for (const { name, method: of, template } of usual.resolved.routes) {
      for (const method of of === '*' ? ['POST', 'DELETE'] : [of]) {
        const expected = { ...charged(usual, method, `${home}${sampleOf(template)}`), route: name };
        expect([template, charged(other, method, `${before}${sampleOf(template)}`)]).toEqual([template, expected]);
      }
    }
  });

  it('finds its routes where the base URL has their first words', () => {
    if (home !== '') return;
    for (const { name, method: of, template } of usual.resolved.routes) {
      const method = of === '*' ? 'POST' : of;
      const words = /^(?:\/[\w.-]+(?=\/))*/.exec(sampleOf(template).replace(/\/x1.*/, '/x1'))?.[0] ?? '';
      expect([template, charged(at(words), method, sampleOf(template)).route]).toEqual([template, name]);
    }
  });
});

it('a path of the catalogue’s base URL is looked for once: what begins as it does is another endpoint', () => {
  const { resolved } = gitlab({ http: { baseURL: 'https://git.example.com' } });
  expect(matchRoute(resolved, 'GET', '/api/v4/projects')).toBe('projects');
  expect(matchRoute(resolved, 'GET', '/projects')).toBe('projects');
  expect(matchRoute(resolved, 'GET', '/api/v4/api/v4/projects')).toBe(null);
});

it('what a path costs does not hang on what stands before it', () => {
  const search = (base: string) =>
    charged(hubspot({ http: { baseURL: `https://h.example${base}` } }), 'POST', `${base}/crm/v3/objects/deals/search`);
  expect(search('/hub')).toEqual(search(''));
  const members = (base: string) =>
    charged(msgraph({ http: { baseURL: `https://h.example${base}` } }), 'GET', `${base}/v1.0/groups/1/members`);
  expect(members('/graph')).toEqual(members(''));
  expect(members('').units).toMatchObject({ 'resource-units': 3 });
});
