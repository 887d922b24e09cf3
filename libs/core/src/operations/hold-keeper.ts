/** Keeps the leases of all that this process runs or looks up. */
import { SluiceError } from '../errors/sluice-error.js';
import type { Cancel } from '../time/clock.js';
import { arm } from '../time/timers.js';
import type { Hold } from './port/hold.js';
import type { StoreAccess } from './store-access.js';
import type { OperationWatch } from './watch.js';

/** One operation in the hands of this process. */
export interface HeldOperation {
  readonly hold: Hold;
  readonly provider: string;
  /** Aborted as soon as it is known to be in other hands, or may be: nothing of it is sent any more. Its reason is an OPERATION_IN_PROGRESS. */
  readonly signal: AbortSignal;
  /** Whether it surely is in our hands now. False before the signal is aborted where the process stood still. */
  readonly isLive: boolean;
  /** The store says that somebody else has it. */
  lost(): void;
  /** It is renewed no more: to be called when it is settled, by whatever road. */
  release(): void;
}

export interface HoldKeeperDeps {
  readonly access: StoreAccess;
  /** How long a hold lasts without a renewal, in ms. Each is renewed three times as often. */
  readonly leaseMs: number;
  readonly watch: OperationWatch;
}

export class HoldKeeper {
  readonly leaseMs: number;
  private readonly held = new Set<Held>();
  private nextRenewalMono = Infinity;
  /** When the timer fires; Infinity = there is none. */
  private armedMono = Infinity;
  private isRenewing = false;
  private cancel: Cancel = () => undefined;

  constructor(private readonly deps: HoldKeeperDeps) {
    this.leaseMs = deps.leaseMs;
  }

  get size(): number {
    return this.held.size;
  }

  /** @param askedMono When the store was asked for it: the lease began no earlier. */
  keep(hold: Hold, provider: string, askedMono: number): HeldOperation {
    const held = new Held(this, hold, provider, askedMono + this.leaseMs);
    if (this.held.size === 0) this.nextRenewalMono = this.now() + this.leaseMs / 3;
    this.held.add(held);
    if (Math.min(held.untilMono, this.nextRenewalMono) < this.armedMono) this.rearm();
    return held;
  }

  /** @internal */
  drop(held: Held): void {
    if (this.held.delete(held) && this.held.size === 0) this.rearm();
  }

  /** @internal */
  now(): number {
    return this.deps.access.clock.monoMs();
  }

  private rearm(): void {
    this.cancel();
    this.armedMono = Infinity;
    if (this.held.size === 0) return;
    let dueMono = this.isRenewing ? Infinity : this.nextRenewalMono;
    for (const { untilMono } of this.held) dueMono = Math.min(dueMono, untilMono);
    this.armedMono = dueMono;
    this.cancel = arm(this.deps.access.clock, dueMono - this.now(), () => this.tick());
  }

  private tick(): void {
    this.armedMono = Infinity;
    const nowMono = this.now();
    for (const held of this.held) if (held.untilMono <= nowMono) held.lost();
    if (!this.isRenewing && this.nextRenewalMono <= nowMono && this.held.size > 0) void this.renew(nowMono);
    this.rearm();
  }

  /** All in one call. What fails is tried again a third of the lease later, as long as the lease lasts. */
  private async renew(askedMono: number): Promise<void> {
    this.isRenewing = true;
    this.nextRenewalMono = askedMono + this.leaseMs / 3;
    const renewed = [...this.held];
    const { access, watch } = this.deps;
    const { provider } = renewed[0]!;
    try {
      const holds = renewed.map(({ hold }) => hold);
      const lost = new Set(await access.ask(provider, (store) => store.renew(holds, this.leaseMs)));
      for (const held of renewed) {
        if (!this.held.has(held)) continue;
        if (lost.has(held.hold.id)) held.lost();
        else held.untilMono = Math.max(held.untilMono, askedMono + this.leaseMs);
      }
    } catch (error) {
      watch.failed(provider, 'renew', error);
    } finally {
      this.isRenewing = false;
      this.rearm();
    }
  }
}

class Held implements HeldOperation {
  private readonly controller = new AbortController();

  constructor(
    private readonly keeper: HoldKeeper,
    readonly hold: Hold,
    readonly provider: string,
    /** By our own clock, which started before the store's lease did. */
    public untilMono: number,
  ) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isLive(): boolean {
    return !this.signal.aborted && this.keeper.now() < this.untilMono;
  }

  lost(): void {
    this.keeper.drop(this);
    if (!this.signal.aborted) this.controller.abort(takenOver(this.provider, this.hold.id));
  }

  release(): void {
    this.keeper.drop(this);
  }
}

/** Its lease ended before its run did. */
export function takenOver(provider: string, operationId: string): SluiceError {
  return new SluiceError({
    code: 'OPERATION_IN_PROGRESS',
    provider,
    operationId,
    message:
      `Provider "${provider}": operation ${operationId} was not renewed in time and is in other hands now; this run sends nothing more. ` +
      'Ask again with the same key: it will not be sent twice.',
  });
}
