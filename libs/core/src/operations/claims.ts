import type { HeldOperation } from './hold-keeper.js';
import { Jobs, type JobWork } from './jobs.js';
import { Loop, type StepEnd } from './loop.js';
import type { OperationStore } from './port.js';
import type { ClaimReply, ClaimRequest, Claimed } from './port/claim.js';
import type { Ending } from './port/hold.js';
import type { OperationState } from './states.js';
import { nextOf, stopping, type WorkerDeps } from './worker-deps.js';

/** What is in hand goes back as it came. */
export const GIVEN_BACK: Ending = { to: 'queued', cause: 'given-back' };

/** What is claimed, and what is done with it. */
export interface ClaimKind {
  readonly to: OperationState;
  ask(store: OperationStore, request: ClaimRequest): Promise<ClaimReply>;
  workOf(claimed: Claimed, held: HeldOperation): JobWork;
}

/** Claims operations of one provider as long as there is room for them, and keeps those in hand. */
export class Claims {
  private readonly loop: Loop;
  private readonly jobs: Jobs;

  constructor(
    private readonly deps: WorkerDeps,
    private readonly kind: ClaimKind,
  ) {
    const { access, pollMs, watch } = deps;
    this.loop = new Loop(access.clock, pollMs, () => this.step(), (error) => watch.failed(this.provider, 'claim', error)); // prettier-ignore
    this.jobs = new Jobs(access.clock, () => stopping(this.provider), () => this.loop.wake()); // prettier-ignore
  }

  get isStopping(): boolean {
    return this.jobs.isStopping;
  }

  start(): void {
    this.loop.start();
  }

  wake(): void {
    this.loop.wake();
  }

  /** What is in hand may end within `graceMs`; the rest is told to stop, and given back. */
  stop(graceMs: number): Promise<void> {
    return this.jobs.stop(graceMs, this.loop.stop());
  }

  private get provider(): string {
    return this.deps.runtime.contract.name;
  }

  private async step(): Promise<StepEnd> {
    const { access, keeper, owner, concurrency } = this.deps;
    const limit = concurrency - this.jobs.size;
    // Whoever is full is woken by the next end.
    if (limit <= 0) return null;
    const askedMono = access.clock.monoMs();
    const request = { provider: this.provider, owner, leaseMs: keeper.leaseMs, limit };
    const ask = (store: OperationStore): Promise<ClaimReply> => this.kind.ask(store, request);
    // What comes too late is ours all the same.
    const reply = await access.hear(this.provider, ask, (claims) => this.take(claims, askedMono));
    return this.jobs.size >= concurrency ? null : nextOf(reply);
  }

  private take({ claimed, moved }: ClaimReply, askedMono: number): void {
    const { keeper, watch } = this.deps;
    for (const move of moved) watch.moved(move);
    for (const each of claimed) {
      const { id, fence, name, provider } = each.operation;
      watch.moved({ id, provider, name, from: each.from, to: this.kind.to, cause: 'claimed' });
      const held = keeper.keep({ id, fence }, provider, askedMono);
      this.jobs.begin(held, this.kind.workOf(each, held));
    }
  }
}
