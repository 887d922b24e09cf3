/** Stored work through the whole chain: decorated method, workers of processes that come and go, one file, one simulated provider. */
import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { concurrency, Durable, Idempotent, InjectProvider, type OperationsOptions, type ProviderOptions, type SluiceEvent, Throttled } from 'nestjs-sluice'; // prettier-ignore
import { sqliteStore } from 'nestjs-sluice/sqlite';
import { ProviderSimulator, type SimulatorOptions } from 'nestjs-sluice/testing';
import { firstValueFrom } from 'rxjs';
import { type DurableApp, DurableWorld } from '../nest/support/durable-world.js';
import { type Fate, mortalStore } from '../nest/support/mortal-store.js';

export interface Job {
  readonly id: string;
  readonly amount?: number;
}

@Injectable()
export class Jobs {
  /** What the method was called with. */
  readonly given: unknown[] = [];

  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Durable({ name: 'job' })
  @Throttled('crm')
  @Idempotent({ key: (job: Job) => job.id })
  async run(job: Job): Promise<unknown> {
    this.given.push(job);
    return (await firstValueFrom(this.http.post(`/jobs/${job.id}`, job))).data;
  }
}

export interface ProcessOptions {
  readonly contract?: Partial<ProviderOptions>;
  readonly operations?: OperationsOptions;
  readonly fate?: Fate;
  /** How long done work is remembered. */
  readonly keepDoneMs?: number;
}

export interface StoredProcess extends DurableApp {
  readonly jobs: Jobs;
  readonly moves: () => readonly Extract<SluiceEvent, { type: 'operation' }>[];
}

export class StoredWork {
  private constructor(
    readonly world: DurableWorld,
    readonly provider: ProviderSimulator,
  ) {}

  static async begin(options: SimulatorOptions = {}): Promise<StoredWork> {
    const provider = new ProviderSimulator({
      routes: { 'POST /jobs/:id': (_, { params }) => ({ status: 201, body: { done: params['id'] } }) },
      idempotency: {},
      ...options,
    });
    return new StoredWork(await DurableWorld.begin(provider), provider);
  }

  async process({ contract, operations, fate = {}, keepDoneMs }: ProcessOptions = {}): Promise<StoredProcess> {
    const { world } = this;
    const file = { path: world.path('operations.db'), ...(keepDoneMs !== undefined && { keepDoneMs }) };
    const store = mortalStore(world.counted(sqliteStore(file)), fate);
    const app = await world.start({
      providers: [Jobs],
      contract: {
        limits: [concurrency({ limit: 20 })],
        idempotency: {},
        timeouts: { attempt: '60s', total: '1d' },
        retry: { maxAttempts: 3, baseDelay: '10s', jitter: 'none', budget: false },
        ...contract,
      },
      module: { store, ...(operations && { operations }) },
    });
    const moves = (): Extract<SluiceEvent, { type: 'operation' }>[] =>
      app.events.filter((event): event is Extract<SluiceEvent, { type: 'operation' }> => event.type === 'operation');
    return { ...app, jobs: app.module.get(Jobs), moves };
  }

  async defer({ operations }: StoredProcess, ...ids: string[]): Promise<string[]> {
    const deferred = ids.map((id) => operations.defer(Jobs, 'run', [{ id }]));
    return (await this.world.go(Promise.all(deferred))).map(({ id }) => id);
  }

  /** Ids of the jobs whose requests reached the provider, and when, in whole ms. */
  get log(): readonly (readonly [string, number])[] {
    return this.provider.log.map(({ path, atMs }) => [path.replace('/jobs/', ''), Math.round(atMs)] as const);
  }

  /** The rows of the file, read past every process. */
  async rows() {
    const reader = await sqliteStore({ path: this.world.path('operations.db') }).open({ clock: this.world.clock });
    const { operations } = await reader.list({ limit: 1_000 });
    await reader.close();
    return operations;
  }

  async states(): Promise<string[]> {
    return (await this.rows()).map(({ state, cause }) => `${state} ${cause}`);
  }
}
