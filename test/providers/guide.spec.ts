// The examples of docs/guides/providers.md, run as they are printed.
import { readFileSync } from 'node:fs';
import type { HttpService } from '@nestjs/axios';
import * as nestAxios from '@nestjs/axios';
import * as common from '@nestjs/common';
import { Test } from '@nestjs/testing';
import * as sluice from 'nestjs-sluice';
import { getProviderToken, type ProviderContract, RateLimitService, slidingWindow } from 'nestjs-sluice';
import * as providers from 'nestjs-sluice/providers';
import { github, hubspot, shopify, slack, xero } from 'nestjs-sluice/providers';
import { ProviderSimulator, sluiceTesting, VirtualClock } from 'nestjs-sluice/testing';
import * as rxjs from 'rxjs';
import { firstValueFrom } from 'rxjs';
import ts from 'typescript';

const MODULES: Readonly<Record<string, unknown>> = {
  '@nestjs/axios': nestAxios,
  rxjs,
  '@nestjs/common': common,
  'nestjs-sluice': sluice,
  'nestjs-sluice/providers': providers,
};

/** What each example exports. */
const [catalogue, called, limited, generic, observed, compared] = [
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

interface Books {
  invoices(tenant: string): Promise<unknown>;
  orders(shop: string, query: string): Promise<unknown>;
}

test('a whole call counts for its tenant or shop, at the cost it says, and needs no partition where dimensions are left out', async () => {
  const { BooksService } = called as { BooksService: new () => Books };
  const clock = new VirtualClock({ wall: '2026-11-30T12:00:00Z' });
  const provider = new ProviderSimulator({});
  const http = { adapter: provider.transport(clock) };
  const start = async (contracts: ProviderContract[]) => {
    const imports = [sluiceTesting({ providers: contracts, clock })];
    const app = await Test.createTestingModule({ imports, providers: [BooksService] }).compile();
    return app.init();
  };
  const shop = shopify({ http: { ...http, baseURL: 'http://shop.test' } });
  const app = await start([xero({ http, perMinute: 1 }), shop]);
  const books = app.get<Books>(BooksService);
  // Of 2,000 points 100 come back a second: the fifth call waits. A tenant of its own waits for none.
  const calls = Array.from({ length: 5 }, (_, index) => books.orders('a.test', `mutation { m${index} }`));
  await clock.advanceUntil(Promise.all([...calls, books.invoices('one'), books.invoices('two')]));
  const times = (path: string) => provider.log.filter((arrival) => arrival.path.includes(path)).map(({ atMs }) => atMs);
  expect(times('Invoices')).toEqual([0, 0]);
  expect(times('graphql').slice(0, 3)).toEqual([0, 0, 0]);
  expect(times('graphql')[4]).toBeGreaterThan(3_000);
  await app.close();

  const single = await start([xero({ http, dimensions: [] }), shop]);
  const client = single.get<HttpService>(getProviderToken('xero'));
  expect((await clock.advanceUntil(firstValueFrom(client.get('/Invoices')))).status).toBe(200);
  await single.close();
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
  const { chat } = limited as { chat: ProviderContract };
  expect(limitsOf(chat).at(-1)).toBe('dnd');
  const dnd = slidingWindow({ name: 'dnd', limit: 20, per: '1m', routes: ['dnd'] });
  expect(() => slack({ limits: (known) => [...known, dnd] })).toThrow(/limits\[53\]\.routes \(limit "dnd"\) is "dnd";/);
  expect(() => hubspot({ app: 'public', perTenSeconds: 50 })).toThrow(/perTenSeconds is 50; expected nothing/);
  expect(xero({ name: 'xero-eu' }).name).toBe('xero-eu');
  const server = github({
    http: { baseURL: 'https://github.example.com/api/v3' },
    routes: { graphql: 'POST /api/graphql' },
  });
  expect(server.resolved.routes.find(({ name }) => name === 'graphql')).toMatchObject({ template: '/api/graphql' });
});
