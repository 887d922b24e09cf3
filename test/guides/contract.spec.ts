// The examples of docs/guides/contract.md, started in a module as they are printed.
import { readFileSync } from 'node:fs';
import * as axios from '@nestjs/axios';
import * as common from '@nestjs/common';
import { Test } from '@nestjs/testing';
import * as sluice from 'nestjs-sluice';
import { ProviderSimulator, sluiceTesting, VirtualClock } from 'nestjs-sluice/testing';
import { firstValueFrom } from 'rxjs';
import { exportsOf } from './printed.js';

const blocks = [...readFileSync('docs/guides/contract.md', 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(
  ([, code]) => code as string,
);
const printed = (name: string): unknown => {
  const block = blocks.find((code) => new RegExp(`export (const|class) ${name}\\b`).test(code));
  if (block === undefined) throw new Error(`docs/guides/contract.md prints no ${name}`);
  return exportsOf(block, { 'nestjs-sluice': sluice, '@nestjs/common': common, '@nestjs/axios': axios })[name];
};

/** The printed contract with a transport of the test. */
function started(name: string): sluice.ProviderContract {
  return printed(name) as sluice.ProviderContract;
}

async function open(name: string, provider: ProviderSimulator, clock: VirtualClock, providers: common.Provider[] = []) {
  const { options } = started(name).resolved;
  const contract = sluice.defineProvider({ ...options, http: { ...options.http, adapter: provider.transport(clock) } });
  const app = await Test.createTestingModule({
    imports: [sluiceTesting({ providers: [contract], clock })],
    providers,
  }).compile();
  await app.init();
  const http: axios.HttpService = app.get(sluice.getProviderToken(name));
  const get = (path: string, sluiceOptions: object = {}): Promise<{ status: number }> =>
    firstValueFrom(http.get(path, { sluice: sluiceOptions }));
  const used = async (): Promise<number | null | undefined> =>
    (await app.get(sluice.RateLimitService).inspect(name)).gate.limits[0]?.used;
  return { app, get, used };
}

const partition = { account: 'acme' };

test('every example of the guide is started here or in another test of this file', () => {
  expect(blocks.map((code) => /export (?:const|class) (\w+)/.exec(code)?.[1])).toEqual(['crm', 'erp', 'CrmPlan']);
});

test('the contract of the CRM starts in a module, and admits 30 calls of an account at once', async () => {
  const clock = new VirtualClock();
  const provider = new ProviderSimulator({ limits: [{ kind: 'token-bucket', burst: 30, limit: 30, perMs: 60_000 }] });
  const { app, get } = await open('crm', provider, clock);
  const calls = Promise.all(
    Array.from({ length: 31 }, (_, i) => get(`/contacts/${i}`, { partition, lane: 'interactive' })),
  );
  await clock.advance(1_000);
  expect(provider.log).toHaveLength(30);
  await clock.advanceUntil(calls);
  expect(provider.log.every(({ verdict }) => verdict === 'accepted')).toBe(true);
  await expect(get('/contacts/1')).rejects.toMatchObject({ code: 'CONFIG' });
  await app.close();
  expect(clock.pendingTimers).toBe(0);
});

test('the contract of the ERP starts in a module, and reads its provider as it says', async () => {
  const clock = new VirtualClock();
  const provider = new ProviderSimulator({
    routes: {
      'GET /busy': () => ({ status: 200, body: 'BUSY' }),
      'GET /left': () => ({ status: 200, headers: { 'x-minlimit-remaining': '3' } }),
    },
  });
  const { app, get, used } = await open('erp', provider, clock);
  await clock.advanceUntil(get('/busy'));
  expect(provider.log.length).toBeGreaterThan(1);
  await clock.advanceUntil(get('/left'));
  expect(await used()).toBe(57);
  await app.close();
  expect(clock.pendingTimers).toBe(0);
});

test('the printed update changes the limit and the lane it names, and nothing else', async () => {
  const clock = new VirtualClock();
  const provider = new ProviderSimulator();
  const Plan = printed('CrmPlan') as common.Type<{ downgrade(): void }>;
  const { app, get } = await open('crm', provider, clock, [Plan]);
  app.get(Plan).downgrade();
  const calls = Promise.all(
    Array.from({ length: 12 }, (_, i) => get(`/contacts/${i}`, { partition, lane: 'interactive' })),
  );
  await clock.advance(1_000);
  expect(provider.log).toHaveLength(10);
  await clock.advanceUntil(calls);
  expect(clock.monoMs()).toBeGreaterThan(11_000);
  const { gate } = await app.get(sluice.RateLimitService).inspect('crm');
  expect(gate.limits.map(({ kind }) => kind)).toEqual(['token-bucket', 'sliding-window', 'concurrency', 'quota']);
  await app.close();
});

test('after a refusal the bucket is taken for empty, and refills from there during the pause', async () => {
  const clock = new VirtualClock();
  const provider = new ProviderSimulator();
  const { app, get } = await open('crm', provider, clock);
  provider.faults = { limited: { share: 1, waitMs: 10_000 } };
  const first = get('/contacts/0', { partition, lane: 'interactive' });
  await clock.advance(5_000);
  provider.faults = {};
  const calls = Promise.all(
    Array.from({ length: 20 }, (_, i) => get(`/contacts/${i + 1}`, { partition, lane: 'interactive' })),
  );
  await clock.advance(6_000);
  expect(provider.log.filter(({ verdict }) => verdict === 'accepted')).toHaveLength(5);
  await clock.advanceUntil(Promise.all([first, calls]));
  await app.close();
});
