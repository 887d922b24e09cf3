import fc from 'fast-check';
import { type Fate, LEASE, LedgerWorld, type Process } from './ledger-world.fixture.js';
import { isFinal } from './states.js';

const KEYS = ['K1', 'K2'];
const SLOTS = 2;

type Step =
  | { readonly do: 'ask'; readonly slot: number; readonly key: number; readonly fate: Fate | 'hangs'; readonly keyed: boolean; readonly writes: number }
  | { readonly do: 'answer'; readonly with: Fate }
  | { readonly do: 'give up' }
  | { readonly do: 'crash'; readonly slot: number }
  | { readonly do: 'pass'; readonly ms: number }; // prettier-ignore

const fates = fc.constantFrom<Fate>('done', 'refused', 'rejected', 'lost', 'unsent');
const asks = fc.record({
  do: fc.constant('ask' as const),
  slot: fc.nat(SLOTS - 1),
  key: fc.nat(KEYS.length - 1),
  fate: fc.oneof(fates, fc.constant('hangs' as const)),
  keyed: fc.boolean(),
  writes: fc.integer({ min: 1, max: 2 }),
});
const steps = fc.oneof(
  { arbitrary: asks, weight: 6 },
  { arbitrary: fc.record({ do: fc.constant('answer' as const), with: fates }), weight: 3 },
  { arbitrary: fc.record({ do: fc.constant('give up' as const) }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('crash' as const), slot: fc.nat(SLOTS - 1) }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, LEASE / 3, LEASE - 1, LEASE, 2 * LEASE) }), weight: 3 }, // prettier-ignore
);

/** Processes that ask, crash and come back, and a provider that answers when it likes. */
class History {
  private readonly processes: Process[] = [];
  private readonly unanswered: ((fate: Fate) => void)[] = [];
  private readonly callers: AbortController[] = [];
  private born = 0;

  constructor(private readonly world: LedgerWorld) {}

  async run(script: readonly Step[]): Promise<void> {
    for (let slot = 0; slot < SLOTS; slot += 1) this.processes[slot] = await this.birth();
    for (const step of script) {
      await this.step(step);
      this.check();
    }
    // Who waited for another begins when that has ended, and is answered in its turn.
    for (let round = 0; round < 4; round += 1) {
      for (const answer of this.unanswered.splice(0)) answer('done');
      await this.world.pass(LEASE, 5_000);
    }
    await this.world.processes[0]!.store.recover(100);
    this.check();
  }

  private birth(): Promise<Process> {
    this.born += 1;
    return this.world.process(`p${this.born}`);
  }

  private async step(step: Step): Promise<void> {
    switch (step.do) {
      case 'ask':
        this.ask(this.processes[step.slot]!, step);
        // Sometimes several at once.
        return step.fate === 'hangs' ? this.world.quiet() : undefined;
      case 'answer':
        this.unanswered.shift()?.(step.with);
        return this.world.quiet();
      case 'give up':
        this.callers.shift()?.abort(new Error('gone'));
        return this.world.quiet();
      case 'crash':
        this.processes[step.slot]!.crash();
        this.processes[step.slot] = await this.birth();
        return;
      case 'pass':
        return this.world.pass(step.ms, 5_000);
    }
  }

  private ask(process: Process, { key, fate, keyed, writes }: Step & { do: 'ask' }): void {
    const caller = new AbortController();
    this.callers.push(caller);
    const asked = process.pay(
      async (operation) => {
        const results: unknown[] = [];
        for (let write = 0; write < writes; write += 1) {
          if (caller.signal.aborted) throw caller.signal.reason;
          const met = fate === 'hangs' ? new Promise<Fate>((resolve) => this.unanswered.push(resolve)) : fate;
          // A key belongs to a step for good.
          const step = `${keyed ? 'keyed' : 'bare'} ${write}`;
          const writing = process.write(operation, met, keyed, step);
          results.push(await this.unlessGone(operation.trail!.late!, writing, caller.signal));
        }
        return results;
      },
      { key: KEYS[key]!, signal: caller.signal, deadlineMono: this.world.clock.monoMs() + 2 * LEASE },
    );
    asked.catch(() => undefined);
  }

  /** As the pipeline does it: the caller is gone at once, the write is not. */
  private unlessGone(late: Set<Promise<unknown>>, writing: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => {
        late.add(writing);
        reject(signal.reason as Error);
      });
      writing.then(resolve, reject);
    });
  }

  private check(): void {
    const { log, overlaps } = this.world;
    expect(overlaps).toBe(0);
    const bare = log.filter(({ keyed, refused }) => !keyed && !refused);
    const steps = bare.map(({ operation, step }) => `${operation} ${step}`);
    expect(steps).toEqual([...new Set(steps)]);
    const keys = log.filter(({ keyed }) => keyed).map(({ operation, key }) => `${operation} ${key}`);
    expect(new Set(keys).size).toBeLessThanOrEqual(KEYS.length);
  }
}

it('laws 7 and 8: whatever crashes, answers late or gives up, no bare write is sent twice, no two run at once, and all ends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 4, maxLength: 16 }), async (script) => {
      const world = await LedgerWorld.begin();
      try {
        await new History(world).run(script);
        const { operations } = await world.processes[0]!.store.list({ limit: 100 });
        const open = operations.filter(({ state }) => !isFinal(state) && state !== 'uncertain');
        expect(open).toEqual([]);
        expect(world.processes.filter(({ isDead }) => !isDead).map(({ keeper }) => keeper.size)).toEqual([0, 0]);
      } finally {
        await world.end();
      }
    }),
    { numRuns: 25 },
  );
});
