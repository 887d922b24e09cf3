import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Clock,
  enterMethod,
  type Hold,
  type OperationContext,
  type OperationStore,
  type RequestEnd,
  type RequestRecord,
  SluiceError,
  type StoredRequest,
} from '../../core/src/index.js';
import { sqliteStore } from '../../sqlite/src/index.js';

type Journal = NonNullable<OperationContext['journal']>;

const HASH = / [\w-]{12}(?= \d+( > \d+)?$)/;
const LEASE_MS = 1_000_000_000;

/** Operations in a real store, each run as often as a test likes: what a run knows it has from the file. */
export class Operations {
  private constructor(
    private readonly clock: Clock,
    private readonly folder: string,
    readonly store: OperationStore,
  ) {}

  static async open(clock: Clock): Promise<Operations> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-'));
    return new Operations(clock, folder, await sqliteStore({ path: join(folder, 'operations.db') }).open({ clock }));
  }

  /** Runs `fn` as the operation `key`, once more where it ran before. */
  async run<T>(key: string, fn: () => Promise<T>): Promise<T> {
    const hold = await this.begin(key);
    const journal = new Remembering(this.store, hold, await this.store.requests(key));
    const trail = { postponed: null, sent: false, late: new Set<Promise<unknown>>() };
    const operation = { id: key, key, ordinals: new Map(), unsettled: new Set<string>(), journal, trail };
    try {
      return await enterMethod({ provider: 'crm', clock: this.clock, operation }, fn);
    } finally {
      await Promise.all(trail.late);
      await this.store.settle(hold, { to: 'dead', cause: 'rejected', error: null });
    }
  }

  /** `POST  0: answered (2)`, without the hash of the path. */
  async states(key: string): Promise<string[]> {
    const requests = await this.store.requests(key);
    return requests.map(({ step, state, sends }) => `${step.replace(HASH, '')}: ${state} (${sends})`);
  }

  /** All bytes of the store's files. */
  async bytes(): Promise<string> {
    const files = await readdir(this.folder);
    const contents = await Promise.all(files.map((file) => readFile(join(this.folder, file), 'latin1')));
    return contents.join('\n');
  }

  async close(): Promise<void> {
    await this.store.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async begin(key: string): Promise<Hold> {
    const start = { owner: 'test', leaseMs: LEASE_MS };
    const created = await this.store.create({
      id: key,
      provider: 'crm',
      name: 'test',
      fingerprint: 'f',
      lane: 'default',
      tenant: '',
      partition: '',
      orderingKey: null,
      reference: null,
      payload: '[]',
      start,
      dueInMs: 0,
      keepMs: null,
      bounds: null,
    });
    if (created.type === 'created') return { id: key, fence: created.fence };
    const again = await this.store.redrive(key, start);
    if (again.type !== 'moved') throw new Error(`The operation cannot be run again: it is ${again.state}.`);
    return { id: key, fence: again.fence };
  }
}

class Remembering implements Journal {
  readonly isOpen = true;
  private readonly requests: Map<string, StoredRequest>;

  constructor(
    private readonly store: OperationStore,
    private readonly hold: Hold,
    requests: readonly StoredRequest[],
  ) {
    this.requests = new Map(requests.map((request) => [request.step, request]));
  }

  known(step: string): StoredRequest | undefined {
    return this.requests.get(step);
  }

  async record(request: RequestRecord): Promise<StoredRequest> {
    const recorded = await this.store.recordRequest(this.hold, request);
    if (recorded.type !== 'recorded') throw new SluiceError({ code: 'OUTCOME_UNKNOWN', message: recorded.type });
    this.requests.set(request.step, recorded.request);
    return recorded.request;
  }

  async ended(step: string, end: RequestEnd): Promise<void> {
    await this.store.recordAnswer(this.hold, step, end);
    const answer = end.type === 'answered' ? end.answer : null;
    this.requests.set(step, { ...this.requests.get(step)!, state: end.type, status: end.status, answer });
  }
}
