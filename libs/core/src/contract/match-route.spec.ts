import { defineProvider } from './define-provider.js';
import { matchRoute } from './match-route.js';

const routes = {
  contact: 'GET /contacts/:id',
  search: 'GET /contacts/search',
  files: 'get /files/*path',
  any: '* /ping',
  create: 'POST /contacts',
};
const { resolved } = defineProvider({ name: 'crm', limits: [], routes });

test.each([
  ['GET', '/contacts/42', 'contact'],
  ['get', '/contacts/42', 'contact'],
  ['GET', '/contacts/42/', 'contact'],
  ['GET', '/Contacts/42', 'contact'],
  ['GET', '/files/a/b/c.txt', 'files'],
  ['DELETE', '/ping', 'any'],
  ['POST', '/contacts/', 'create'],
  ['POST', '/contacts/42', null],
  ['GET', '/contacts/42/notes', null],
  ['GET', '/', null],
  ['GET', '', null],
])('%s %s is of route %s', (method, path, route) => {
  expect(matchRoute(resolved, method, path)).toBe(route);
});

test('a template without a parameter wins over one with, wherever it stands in the contract', () => {
  expect(matchRoute(resolved, 'GET', '/contacts/search')).toBe('search');
});

test('of templates with a parameter the first in the contract wins, wherever the parameter stands', () => {
  const { resolved: mixed } = defineProvider({
    name: 'crm',
    limits: [],
    routes: { a: 'GET /x/:id', b: 'GET /:kind/:id', c: 'GET /y/:id', d: 'GET /z{/:id}', e: 'GET /{v1/}deep/:id' },
  });
  const route = (path: string) => matchRoute(mixed, 'GET', path);
  expect(route('/X/1')).toBe('a');
  expect(route('/y/1')).toBe('b');
  expect(route('/z')).toBe('d');
  expect(route('/z/1')).toBe('b');
  expect(route('/v1/deep/1')).toBe('e');
  expect(route('/elsewhere')).toBeNull();
});

test('templates are read after the path of the base URL, or from the root', () => {
  const based = defineProvider({
    name: 'crm',
    limits: [],
    routes,
    http: { baseURL: 'https://api.example.test/v2/?x=1' },
  });
  expect(matchRoute(based.resolved, 'GET', '/v2/contacts/42')).toBe('contact');
  expect(matchRoute(based.resolved, 'GET', '/contacts/42')).toBe('contact');
  expect(matchRoute(based.resolved, 'GET', '/v3/contacts/42')).toBeNull();
});

test('a base URL without a path changes nothing', () => {
  const based = defineProvider({ name: 'crm', limits: [], routes, http: { baseURL: 'https://api.example.test' } });
  expect(matchRoute(based.resolved, 'GET', '/contacts/42')).toBe('contact');
});

test('made-up methods do not fill the memory of the matcher', () => {
  for (let n = 0; n < 1_000; n++) expect(matchRoute(resolved, `M${n}`, '/ping')).toBe('any');
  expect(matchRoute(resolved, 'GET', '/contacts/1')).toBe('contact');
});

test('a hostile path is judged in linear time', () => {
  const { resolved: hostile } = defineProvider({ name: 'crm', limits: [], routes: { deep: 'GET /:a-:b-:c/:d' } });
  const began = performance.now();
  matchRoute(hostile, 'GET', `/${'-a'.repeat(2_000)}`);
  expect(performance.now() - began).toBeLessThan(500);
});
