import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { type DurableStore, Operations, type ProviderOptions, RateLimitService, type SluiceEvent } from 'nestjs-sluice';
import { sqliteStore } from 'nestjs-sluice/sqlite';
import { ProviderSimulator, sluiceTesting, type SluiceTestingOptions, VirtualClock } from 'nestjs-sluice/testing';
import { crmAt } from './crm.js';
import { QuietLogger } from './silent.js';
import { interceptStore } from './intercept-store.js';

export interface AppOptions extends Pick<ModuleMetadata, 'controllers' | 'providers' | 'imports'> {
  readonly contract?: Partial<ProviderOptions>;
  readonly module?: Partial<SluiceTestingOptions>;
  /** Name of the store's file. */
  readonly file?: string;
}

export interface DurableApp {
  readonly module: TestingModule;
  readonly operations: Operations;
  readonly events: SluiceEvent[];
}

/** One simulated provider, stores in files, and applications that come and go, all on one virtual clock. */
export class DurableWorld {
  readonly clock = new VirtualClock();
  /** Commands of the stores, in the order in which they were asked. */
  readonly asked: string[] = [];
  private pending = 0;
  private readonly running = new Set<TestingModule | INestApplication>();

  private constructor(
    private readonly folder: string,
    readonly provider: ProviderSimulator,
  ) {}

  static async begin(provider: ProviderSimulator): Promise<DurableWorld> {
    return new DurableWorld(await mkdtemp(join(tmpdir(), 'sluice-nest-')), provider);
  }

  path(file: string): string {
    return join(this.folder, file);
  }

  /** Not started: its hooks have not run. */
  async compile({ contract, module, file = 'operations.db', ...metadata }: AppOptions): Promise<TestingModule> {
    const http = { baseURL: 'http://crm.example', adapter: this.provider.transport(this.clock) };
    const options: SluiceTestingOptions = {
      clock: this.clock,
      providers: [crmAt('', { http, ...contract })],
      store: this.counted(sqliteStore({ path: this.path(file) })),
      ...module,
    };
    return Test.createTestingModule({ ...metadata, imports: [sluiceTesting(options), ...(metadata.imports ?? [])] })
      .setLogger(new QuietLogger())
      .compile();
  }

  async start(options: AppOptions): Promise<DurableApp> {
    const module = await this.compile(options);
    await module.init();
    this.running.add(module);
    return this.seen(module);
  }

  seen(module: TestingModule | INestApplication): DurableApp {
    const events: SluiceEvent[] = [];
    module.get(RateLimitService).events.subscribe((event) => events.push(event));
    return { module: module as TestingModule, operations: module.get(Operations), events };
  }

  /** Closed at the end of the test, if not before. */
  add(app: INestApplication): void {
    this.running.add(app);
  }

  async stop(app: TestingModule | INestApplication): Promise<void> {
    this.running.delete(app);
    await this.go(app.close());
  }

  /** Passes time, in steps in which the stores can answer, until the promise is settled. */
  async go<T>(promise: Promise<T>, { longestMs = 600_000, stepMs = 100 } = {}): Promise<T> {
    let settled = false;
    const onSettled = (): void => {
      settled = true;
    };
    promise.then(onSettled, onSettled);
    for (let waited = 0; waited < longestMs; waited += stepMs) {
      await this.quiet();
      if (settled) return promise;
      await this.clock.advance(stepMs);
    }
    throw new Error(`Still pending after ${longestMs} ms.`);
  }

  async pass(ms: number, stepMs = 100): Promise<void> {
    const endMs = this.clock.monoMs() + ms;
    for (;;) {
      await this.quiet();
      const leftMs = endMs - this.clock.monoMs();
      if (leftMs <= 0) return;
      // Never past a timer: what it sets off in a store or a socket comes to rest before time goes on.
      await this.clock.advance(Math.min(leftMs, stepMs, this.clock.nextTimerInMs ?? Infinity));
    }
  }

  async until(what: () => boolean, longestMs = 600_000): Promise<void> {
    for (let waited = 0; !what(); waited += 100) {
      if (waited >= longestMs) throw new Error(`Not so after ${longestMs} ms.`);
      await this.pass(100);
    }
  }

  /** Lets stores and sockets answer, and what follows from it happen, at this moment. */
  async quiet(): Promise<void> {
    let calm = 0;
    while (calm < 3) {
      await this.clock.advance(0);
      await turn();
      calm = this.pending === 0 ? calm + 1 : 0;
    }
  }

  /** Ends all applications; nothing may be left. */
  async end(): Promise<void> {
    for (const app of this.running) await this.stop(app);
    await rm(this.folder, { recursive: true, force: true });
    expect(this.clock.pendingTimers).toBe(0);
    expect(this.pending).toBe(0);
  }

  /** The same store; how many of its answers are still to come is known. */
  counted(durable: DurableStore): DurableStore {
    return interceptStore(durable, async (name, ask) => {
      this.asked.push(name);
      this.pending += 1;
      try {
        return await ask();
      } finally {
        this.pending -= 1;
      }
    });
  }
}
