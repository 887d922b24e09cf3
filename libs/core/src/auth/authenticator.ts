/**
 * The credentials of a provider, by partition. Whoever needs new ones joins the one flight that gets them; nobody holds a
 * permit meanwhile, so the flight may itself call through the provider's own client. Credentials that a refresh brought
 * and that the provider refuses again stop their partition: calls are refused unsent, and one refresh a minute may end it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';
import { runAuthenticating } from '../context/context.js';
import type { AuthOptions } from '../contract/auth-options.js';
import type { ResolvedContract } from '../contract/resolved.js';
import { SluiceError } from '../errors/sluice-error.js';
import type { Partition } from '../model/outcome.js';
import type { Clock } from '../time/clock.js';
import { hashValue } from '../gate/client/hashing.js';
import { dateOf } from '../time/dates.js';
import { arm } from '../time/timers.js';
import { type HeldCredentials, heldFrom, isRefusal } from './credentials.js';
import type { SharedCredentials } from './shared-credentials.js';

interface PartitionState {
  readonly partition: Partition;
  held: HeldCredentials | null;
  generation: number;
  flight: Promise<HeldCredentials> | null;
  /** The held ones came by a refresh, and no answer has accepted them yet. */
  unproven: boolean;
  stopped: boolean;
  /** Monotonic ms. */
  lastRefreshMono: number;
}

export interface AuthReport {
  auth(state: 'refreshed' | 'failed'): void;
  hookFailed(hook: string, error: unknown): void;
}

/** Partitions whose credentials are kept; those of the others are fetched again. */
const MAX_PARTITIONS = 10_000;
/** Least time between two refreshes of a stopped partition. */
const TRIAL_EVERY_MS = 60_000;

const inRootContext = AsyncLocalStorage.snapshot();

export class Authenticator {
  private readonly states = new LRUCache<string, PartitionState>({ max: MAX_PARTITIONS });

  constructor(
    private readonly contract: ResolvedContract,
    private readonly auth: AuthOptions,
    private readonly clock: Clock,
    private readonly report: AuthReport,
    /** Where the processes of a fleet renew credentials as one; null = each by itself. */
    private readonly shared: SharedCredentials | null = null,
  ) {}

  /** @throws SluiceError AUTH_FAILED when there are none to be had. */
  credentials(partition: Partition): HeldCredentials | Promise<HeldCredentials> {
    const state = this.stateOf(partition);
    if (state.flight !== null) return state.flight;
    if (state.stopped) return this.trial(state);
    if (state.held !== null && !this.isExpired(state.held)) return state.held;
    return this.fly(state, 'credentials');
  }

  isExpired(held: HeldCredentials): boolean {
    return held.expiresAtMs <= this.clock.wallMs();
  }

  /** An answer that is not a 401 came to a request with these. */
  accepted(partition: Partition, used: HeldCredentials): void {
    const state = this.stateOf(partition);
    if (state.unproven && state.held?.generation === used.generation) state.unproven = false;
  }

  /**
   * A 401 came to a request with these. Resolves true when there are newer ones, false when the call must give up.
   *
   * @param again the call had a 401 before
   */
  async rejected(partition: Partition, used: HeldCredentials, again: boolean): Promise<boolean> {
    const state = this.stateOf(partition);
    const current = state.held === null || state.held.generation === used.generation;
    if (again || (current && state.unproven)) {
      if (current) this.stop(state);
      return false;
    }
    if (state.stopped) return false;
    if (!current && state.flight === null) return true;
    try {
      await (state.flight ?? this.fly(state, 'refresh'));
      return true;
    } catch {
      return false;
    }
  }

  private trial(state: PartitionState): Promise<HeldCredentials> {
    const dueMs = state.lastRefreshMono + TRIAL_EVERY_MS - this.clock.monoMs();
    if (dueMs > 0) throw this.stoppedError(dueMs);
    return this.fly(state, 'refresh');
  }

  private fly(state: PartitionState, how: 'credentials' | 'refresh'): Promise<HeldCredentials> {
    if (how === 'refresh') state.lastRefreshMono = this.clock.monoMs();
    const flight = this.fetch(state, how).finally(() => {
      state.flight = null;
    });
    state.flight = flight;
    // All that waited may have given up by the time it fails.
    flight.catch(() => undefined);
    return flight;
  }

  private async fetch(state: PartitionState, how: 'credentials' | 'refresh'): Promise<HeldCredentials> {
    try {
      const held = await this.obtain(state, how);
      if (held.expiresAtMs <= this.clock.wallMs()) throw new TypeError('The credentials have expired already.');
      state.generation = held.generation;
      state.held = held;
      state.unproven = how === 'refresh';
      state.stopped = false;
      if (how === 'refresh') this.report.auth('refreshed');
      return held;
    } catch (error) {
      this.report.hookFailed(`auth.${how}`, error);
      if (how === 'refresh' && isRefusal(error)) this.stop(state);
      throw new SluiceError({
        code: 'AUTH_FAILED',
        provider: this.contract.name,
        message: `Provider "${this.contract.name}": auth.${how} gave no credentials, so nothing was sent. See the cause.`,
        cause: error,
      });
    }
  }

  private obtain(state: PartitionState, how: 'credentials' | 'refresh'): Promise<HeldCredentials> {
    const { partition, generation, held } = state;
    const get = async (by: 'credentials' | 'refresh'): Promise<HeldCredentials> =>
      heldFrom(await this.ask(partition, by), generation + 1);
    if (how === 'credentials' || this.shared === null) return get(how);
    return this.shared.renew({
      partition: hashValue(this.contract.name, 'credentials', this.keyOf(partition)),
      refused: held,
      refresh: () => get('refresh'),
      reread: () => get('credentials'),
      limitMs: this.contract.timeouts.totalMs,
    });
  }

  /** Calls the contract's function apart from the call that needs it: it may outlive that call, and serves others too. */
  private ask(partition: Partition, how: 'credentials' | 'refresh'): Promise<unknown> {
    const fetcher = how === 'refresh' ? (this.auth.refresh ?? this.auth.credentials) : this.auth.credentials;
    const controller = new AbortController();
    const limitMs = this.contract.timeouts.totalMs;
    const lane = this.contract.lanes[0]?.name;
    const method = {
      provider: this.contract.name,
      options: { partition, ...(lane === undefined ? {} : { lane }) },
      deadlineMono: this.clock.monoMs() + limitMs,
      operation: null,
      signal: controller.signal,
    };
    return new Promise((resolve, reject) => {
      const cancelTimer = arm(this.clock, limitMs, () => {
        const error = new Error(`auth.${how} took longer than ${limitMs} ms.`);
        reject(error);
        controller.abort(error);
      });
      const run = async (): Promise<unknown> => fetcher(partition, controller.signal);
      inRootContext(() => runAuthenticating(this.contract.name, { inbound: null, method }, run))
        .finally(cancelTimer)
        .then(resolve, reject);
    });
  }

  private stop(state: PartitionState): void {
    if (state.stopped) return;
    state.stopped = true;
    if (state.lastRefreshMono === -Infinity) state.lastRefreshMono = this.clock.monoMs();
    this.report.auth('failed');
  }

  private stoppedError(dueMs: number): SluiceError {
    return new SluiceError({
      code: 'AUTH_FAILED',
      provider: this.contract.name,
      message: `Provider "${this.contract.name}": it refused this partition's credentials twice, so nothing was sent. Renew them; one refresh a minute is tried.`,
      retryAt: dateOf(this.clock.wallMs() + dueMs),
      retryAfterMs: dueMs,
    });
  }

  private keyOf(partition: Partition): string {
    return JSON.stringify(this.contract.dimensions.map((dimension) => partition[dimension] ?? ''));
  }

  private stateOf(partition: Partition): PartitionState {
    const key = this.keyOf(partition);
    let state = this.states.get(key);
    if (state === undefined) {
      state = {
        partition,
        held: null,
        generation: 0,
        flight: null,
        unproven: false,
        stopped: false,
        lastRefreshMono: -Infinity,
      };
      this.states.set(key, state);
    }
    return state;
  }
}
