import { HttpService } from '@nestjs/axios';
import { Inject, Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { attachAxios, type AxiosLike } from '../../axios/src/index.js';
import {
  type AdmissionView,
  type AttemptContext,
  type Duration,
  parseDuration,
  type Partition,
  type ProviderPatch,
  type RunOptions,
  type SluiceEvent,
} from '../../core/src/index.js';
import { EventStream } from './event-stream.js';
import { SLUICE_APPLICATION } from './rate-limit.constants.js';
import { RateLimitExplorer } from './rate-limit.explorer.js';
import { notAnObject } from './rate-limit.messages.js';
import type { SluiceApplication } from './sluice-application.js';

const ASKER = 'RateLimitService';

/** The module's handle at run time: what the decorators do, without decorators, and what an operator needs. */
@Injectable()
export class RateLimitService {
  private readonly attached = new WeakMap<object, () => void>();

  /** Every event of this application, from the moment of subscription. A listener that throws is reported by an event. */
  readonly events: Observable<SluiceEvent>;

  constructor(
    @Inject(SLUICE_APPLICATION) private readonly application: SluiceApplication,
    private readonly explorer: RateLimitExplorer,
  ) {
    this.events = new EventStream(application.events);
  }

  /**
   * Guards any function: the function is the attempt, and runs again where it is retried. Each run is admitted, charged and
   * bounded by `timeouts`; `context.signal` ends it. Without `answer` its result is a success, and its error of unknown
   * outcome (so that it is not repeated) unless `safe: true`; `answer` reads either as an answer of the provider. The
   * provider's own client must not be used inside: its requests would be admitted a second time.
   *
   * @throws SluiceError CONFIG when there is no such provider; what `fn` throws; why it was refused.
   */
  run<T>(provider: string, fn: (context: AttemptContext) => Promise<T> | T, options: RunOptions<T> = {}): Promise<T> {
    return this.application.runtime(provider, `${ASKER}.run`).run(fn, options);
  }

  /**
   * Guards an Axios instance of yours: each of its requests is admitted. It stays the same instance, with your interceptors.
   *
   * @throws SluiceError CONFIG when there is no such provider, or the instance is attached already.
   */
  attach<I extends AxiosLike>(provider: string, instance: I): I {
    const runtime = this.application.runtime(provider, `${ASKER}.attach`);
    const { clock, random } = this.application;
    const { axiosRef: axios } = new HttpService();
    this.attached.set(instance, attachAxios(instance, runtime, { clock, random, axios }));
    return instance;
  }

  /** Gives an attached instance its own adapter back. An instance that is not attached stays as it is. */
  detach(instance: AxiosLike): void {
    this.attached.get(instance)?.();
    this.attached.delete(instance);
  }

  /**
   * Makes this application the one of an object with decorated methods that Nest did not construct (one made by hand, or by
   * a request-scoped factory). Objects that Nest holds from its start on need no call.
   *
   * @throws SluiceError CONFIG when it is no object, is frozen, or belongs to another running application.
   */
  adopt<T extends object>(object: T): T {
    if (typeof object !== 'object' || object === null) throw notAnObject(object);
    this.explorer.adopt(object);
    return object;
  }

  /** What is used, waiting, paused and open, of one provider. */
  inspect(provider: string): Promise<AdmissionView> {
    return this.application.runtime(provider, `${ASKER}.inspect`).admission.inspect();
  }

  /** Stops the provider, or one partition of it, for a while. Calls wait as long as they may. */
  pause(provider: string, duration: Duration, partition: Partition | null = null): void {
    const forMs = parseDuration(duration, `${ASKER}.pause`, provider);
    this.application.runtime(provider, `${ASKER}.pause`).admission.pause(partition, forMs);
  }

  /** Ends a pause at once, whoever began it. Stored work that it put off is due then; where the store fails, an event tells. */
  resume(provider: string, partition: Partition | null = null): void {
    const runtime = this.application.runtime(provider, `${ASKER}.resume`);
    runtime.admission.resume(partition);
    void this.application.operations?.resumed(runtime, partition);
  }

  /** Refuses what waits for the provider and what comes; resolves when its attempts have ended, or after the grace time. */
  drain(provider: string, grace?: Duration): Promise<void> {
    const graceMs = grace === undefined ? this.application.graceMs : parseDuration(grace, `${ASKER}.drain`, provider);
    return this.application.runtime(provider, `${ASKER}.drain`).drain(graceMs);
  }

  /**
   * New numbers while calls are under way: used amounts stay, waiting calls are judged anew. With `fleet: true` they hold for
   * all processes that share the gate, and those that start later, until others are given.
   *
   * @throws SluiceError CONFIG when the patched contract would be invalid, or `fleet` is asked of a gate of one process;
   *   nothing is changed then.
   */
  update(provider: string, patch: ProviderPatch): void;
  update(provider: string, patch: ProviderPatch, options: { readonly fleet: true }): Promise<void>;
  update(provider: string, patch: ProviderPatch, options?: { readonly fleet?: boolean }): void | Promise<void> {
    const runtime = this.application.runtime(provider, `${ASKER}.update`);
    // What a patch leaves out stays: without a store the quotas of a registered contract are all volatile.
    const limits = Array.isArray(patch?.limits) ? (patch.limits as NonNullable<ProviderPatch['limits']>) : [];
    const forgotten = limits.filter((limit) => limit?.kind === 'quota' && limit.volatile === false);
    this.application.refuseForgotten(
      provider,
      forgotten.map(({ name, kind }) => name ?? kind),
    );
    if (options?.fleet === true) return runtime.updateFleet(patch);
    runtime.update(patch);
  }
}
