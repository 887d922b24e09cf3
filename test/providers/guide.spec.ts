// The examples of docs/guides/providers.md, run as they are printed.
import { readFileSync } from 'node:fs';
import type { HttpService } from '@nestjs/axios';
import * as common from '@nestjs/common';
import { Test } from '@nestjs/testing';
import * as sluice from 'nestjs-sluice';
import { getProviderToken, type ProviderContract, RateLimitService, slidingWindow } from 'nestjs-sluice';
import * as providers from 'nestjs-sluice/providers';
import { github, slack, xero } from 'nestjs-sluice/providers';
import { ProviderSimulator, sluiceTesting, VirtualClock } from 'nestjs-sluice/testing';
import { firstValueFrom } from 'rxjs';
import ts from 'typescript';

const MODULES: Readonly<Record<string, unknown>> = {
  '@nestjs/common': common,
  'nestjs-sluice': sluice,
  'nestjs-sluice/providers': providers,
};

/** What each example exports. */
const [catalogue, generic, observed, compared] = [
  ...readFileSync('docs/guides/providers.md', 'utf8').matchAll(/^ *```ts\n([\s\S]*?)^ *```/gm),
].map(([, code]) => {
  const { outputText } = ts.transpileModule(code as string, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, experimentalDecorators: true },
  });
  const exported: Record<string, unknown> = {};
  new Function('require', 'exports', outputText)((name: string) => MODULES[name], exported);
  return exported;
});

const limitsOf = ({ resolved }: ProviderContract) => resolved.limits.map(({ name }) => name);

test('a contract of the catalogue takes a choice, a number and credentials, and an application starts with it', async () => {
  const { books, AppModule } = catalogue as { books: ProviderContract; AppModule: new () => object };
  expect(books.resolved.limits).toMatchObject([{ name: 'minute', limit: 40 }, { name: 'day', limit: 1_000 }, {}, {}]);
  const app = await Test.createTestingModule({ imports: [AppModule] }).compile();
  await app.init();
  expect(JSON.stringify(await app.get(RateLimitService).inspect('xero'))).toContain('app-minute');
  await app.close();
});

test('a provider that nobody has described has a contract without limits', () => {
  const { ledger } = generic as { ledger: ProviderContract };
  expect([ledger.name, limitsOf(ledger)]).toEqual(['ledger', []]);
});

test('what is observed is sent at once, and the events tell what would have been held up and what was refused', async () => {
  const { ledger } = observed as { ledger: ProviderContract };
  const { compare } = compared as { compare: (service: RateLimitService, say: (text: string) => void) => void };
  const clock = new VirtualClock({ wall: '2026-11-30T12:00:00Z' });
  const provider = new ProviderSimulator({ limits: [{ kind: 'token-bucket', burst: 45, limit: 2, perMs: 1_000 }] });
  const app = await Test.createTestingModule({ imports: [sluiceTesting({ providers: [ledger], clock })] }).compile();
  await app.init();
  const said: string[] = [];
  compare(app.get(RateLimitService), (text) => said.push(text));
  const http = app.get<HttpService>(getProviderToken('ledger'));
  const adapter = provider.transport(clock);
  const call = () =>
    firstValueFrom(http.get('/entries', { adapter, sluice: { partition: { account: 'a' } } })).catch(() => null);
  await clock.advanceUntil(Promise.all(Array.from({ length: 50 }, call)));
  const count = (text: string) => said.filter((line) => line.includes(text)).length;
  expect(provider.log.slice(0, 50).every(({ atMs }) => atMs === provider.log[0]?.atMs)).toBe(true);
  expect(count('held up by')).toBeGreaterThanOrEqual(10);
  expect(count('limited, 429')).toBe(provider.log.filter(({ verdict }) => verdict === 'limited').length);
  expect(count('limited, 429')).toBeGreaterThanOrEqual(5);
  const closed = app.close();
  await clock.advance(60_000);
  await closed;
});

test('what the guide says of limits, routes and names holds', () => {
  const dnd = slack({
    routes: { dnd: 'GET /dnd.info' },
    limits: (known) => [...known, slidingWindow({ name: 'dnd', limit: 20, per: '1m', routes: ['dnd'] })],
  });
  expect(limitsOf(dnd).at(-1)).toBe('dnd');
  expect(xero({ name: 'xero-eu' }).name).toBe('xero-eu');
  const server = github({
    http: { baseURL: 'https://github.example.com/api/v3' },
    routes: { graphql: 'POST /api/graphql' },
  });
  expect(server.resolved.routes.find(({ name }) => name === 'graphql')).toMatchObject({ template: '/api/graphql' });
});
