import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '../../../sqlite/src/index.js';
import { VirtualClock } from '../../../testing/src/index.js';
import { isSluiceError } from '../errors/sluice-error.js';
import type { HeldOperation } from './hold-keeper.js';
import type { OperationStore } from './port.js';
import type { RequestRecord } from './port/request.js';
import { StoreAccess } from './store-access.js';
import { StoreJournal } from './store-journal.js';

const clock = new VirtualClock();
const write: RequestRecord = {
  step: 'POST invoices 0',
  method: 'POST',
  route: 'invoices',
  providerKey: 'key-1',
  bodyHash: null,
  body: null,
  contentType: null,
  repeatableForMs: 60_000,
};

let folder: string;
let store: OperationStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-journal-'));
  store = await sqliteStore({ path: join(folder, 'operations.db') }).open({ clock });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** The journal of a hold that is live for so many looks. */
async function journal(id: string, looks: number): Promise<StoreJournal> {
  const held: HeldOperation = {
    hold: { id, fence: 1 },
    provider: 'crm',
    signal: new AbortController().signal,
    get isLive() {
      return (looks -= 1) >= 0;
    },
    lost: () => undefined,
    release: () => undefined,
  };
  const watch = { moved: () => undefined, failed: () => undefined };
  const [access, requests] = [new StoreAccess(store, clock), await store.requests(id)];
  return new StoreJournal({ access, held, requests, watch, whoLooks: 'caller' });
}

async function begin(id: string): Promise<void> {
  const start = { owner: 'p1', leaseMs: 600_000 };
  const place = { lane: 'default', tenant: '', partition: '', orderingKey: null, reference: null };
  const rest = { payload: '[]', start, dueInMs: 0, keepMs: null, bounds: null };
  await store.create({ id, provider: 'crm', name: 'pay', fingerprint: 'f', ...place, ...rest });
}

it('law 7: a repeat that is written down when the lease has ended does not say that the first send did not happen', async () => {
  await begin('op');
  await (await journal('op', 9)).record(write);
  const [first] = await store.requests('op');
  await clock.advance(10_000);
  const late = (await journal('op', 1)).record(write).catch((error: unknown) => error);
  expect(isSluiceError(await late, 'OPERATION_IN_PROGRESS')).toBe(true);
  const [now] = await store.requests('op');
  expect([now?.state, now?.repeatableUntilMs]).toEqual(['sent', first?.repeatableUntilMs]);
});

it('a first send that is written down when the lease has ended is taken back', async () => {
  await begin('op');
  const late = (await journal('op', 1)).record(write).catch((error: unknown) => error);
  expect(isSluiceError(await late, 'OPERATION_IN_PROGRESS')).toBe(true);
  expect((await store.requests('op')).map(({ state }) => state)).toEqual(['not-done']);
});
