import type { ResolvedContract } from '../../contract/resolved.js';
import type { Lease } from './model.js';

const SLICES = 10;

/** A ramp that lets so many through at once has done its work. */
const RAMP_END = 1024;

type Settings = NonNullable<ResolvedContract['breaker']>;

/** The circuit breaker of a provider: what to do about failures, whoever's call met them. */
export class Breaker {
  state: 'closed' | 'open' = 'closed';
  openUntil = 0;
  probe: Lease | null = null;
  /** Attempts granted up to here belong to an older epoch: their results say nothing about this one. */
  epoch = 0;
  private consecutive = 0;
  private readonly failures = new Float64Array(SLICES);
  private readonly outcomes = new Float64Array(SLICES);
  private readonly slices = new Float64Array(SLICES);
  /** Attempts that may be under way after it closed; 0 = no ramp. */
  ramp = 0;
  rampActive = 0;
  private rampAnswered = 0;

  constructor(public settings: Settings) {}

  get refuses(): boolean {
    return this.settings.whileOpen === 'refuse';
  }

  get probeEveryUs(): number {
    return this.settings.probeEveryMs * 1000;
  }

  probeDue(now: number): boolean {
    return this.state === 'open' && now >= this.openUntil && this.probe === null;
  }

  get rampFull(): boolean {
    return this.ramp > 0 && this.rampActive >= this.ramp;
  }

  granted(lease: Lease): void {
    if (this.state === 'open') {
      if (lease.probe && this.probe === null) this.probe = lease;
    } else if (this.ramp > 0) this.rampActive += 1;
  }

  /** A lease ended, by settling or expiry. `round` = an answer came. */
  ended(lease: Lease, round: boolean): void {
    if (this.ramp === 0 || this.state === 'open' || lease.seq <= this.epoch) return;
    this.rampActive -= 1;
    if (!round) return;
    this.rampAnswered += 1;
    if (this.rampAnswered < this.ramp) return;
    this.rampAnswered = 0;
    this.ramp *= 2;
    if (this.ramp > RAMP_END) this.ramp = 0;
  }

  /** What an attempt tells. True = that opened it. */
  learn(now: number, seq: number, health: 'alive' | 'failure', nowSeq: number): boolean {
    if (this.state === 'open' || seq <= this.epoch) return false;
    this.count(now, health === 'failure' ? 1 : 0);
    this.consecutive = health === 'failure' ? this.consecutive + 1 : 0;
    if (health === 'alive' || !this.tooMany(now)) return false;
    this.open(now, nowSeq);
    return true;
  }

  open(now: number, nowSeq: number): void {
    this.state = 'open';
    this.openUntil = now + this.probeEveryUs;
    this.probe = null;
    this.epoch = nowSeq;
    this.forget();
  }

  /** It was open when another process ended. */
  reopen(until: number, nowSeq: number): void {
    if (this.state === 'open' && this.openUntil >= until) return;
    this.open(0, nowSeq);
    this.openUntil = until;
  }

  close(nowSeq: number): void {
    this.state = 'closed';
    this.probe = null;
    this.epoch = nowSeq;
    this.forget();
    this.ramp = 1;
    this.rampActive = 0;
    this.rampAnswered = 0;
  }

  private forget(): void {
    this.consecutive = 0;
    this.failures.fill(0);
    this.outcomes.fill(0);
  }

  private count(now: number, failed: number): void {
    const rate = this.settings.failureRate;
    if (rate === null) return;
    const slice = Math.floor(now / ((rate.perMs * 1000) / SLICES));
    const at = slice % SLICES;
    if (this.slices[at] !== slice) {
      this.slices[at] = slice;
      this.failures[at] = 0;
      this.outcomes[at] = 0;
    }
    this.failures[at] = (this.failures[at] as number) + failed;
    this.outcomes[at] = (this.outcomes[at] as number) + 1;
  }

  private tooMany(now: number): boolean {
    const { consecutiveFailures, failureRate } = this.settings;
    if (consecutiveFailures !== null && this.consecutive >= consecutiveFailures) return true;
    if (failureRate === null) return false;
    const newest = Math.floor(now / ((failureRate.perMs * 1000) / SLICES));
    let failures = 0;
    let outcomes = 0;
    for (let i = 0; i < SLICES; i += 1) {
      if ((this.slices[i] as number) <= newest - SLICES) continue;
      failures += this.failures[i] as number;
      outcomes += this.outcomes[i] as number;
    }
    return outcomes >= failureRate.minVolume && failures >= failureRate.share * outcomes;
  }
}
