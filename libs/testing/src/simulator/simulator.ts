import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { AxiosAdapter } from 'axios';
import { type Clock, SystemClock } from '../../../core/src/index.js';
import { SeededRandom } from '../seeded-random.js';
import type { ScriptStep } from './answer.js';
import { Engine, type EngineState } from './engine.js';
import type { Faults } from './faults.js';
import { HttpFront } from './http-front.js';
import type { Arrival, Effect } from './log.js';
import type { SimulatorOptions } from './options.js';
import { checkedScript, checkOptions } from './check-options.js';
import { type Script, script } from './script.js';
import { createTransport, type TransportOptions } from './transport.js';

/** How finely the event loop's lateness is measured, in milliseconds. */
const LOOP_RESOLUTION_MS = 1;
const NS_PER_MS = 1e6;

/**
 * A provider with limits, latencies, faults and effects, that writes down all it saw. Reached over HTTP after `start()`, or
 * without sockets by `transport(clock)`. Its limits share no code with those of the module they judge.
 */
export class ProviderSimulator {
  private readonly state: EngineState;
  private readonly random;
  private engine: Engine | null = null;
  private front: HttpFront | null = null;
  private loop: IntervalHistogram | null = null;
  private address: string | null = null;

  /** @throws TypeError when there is no such option, or no such kind of limit. */
  constructor(private readonly options: SimulatorOptions = {}) {
    checkOptions(options);
    this.random = options.random ?? new SeededRandom(1);
    this.state = {
      log: [],
      effects: [],
      others: { accepted: 0, limited: 0 },
      faults: options.faults ?? {},
      script: options.script ?? null,
    };
  }

  /** All requests that arrived, in order: the ground truth. */
  get log(): readonly Arrival[] {
    return this.state.log;
  }

  /** The writes that took effect. */
  get effects(): readonly Effect[] {
    return this.state.effects;
  }

  /** How the other programs' requests fared, as far as time was looked at. */
  get others(): { readonly accepted: number; readonly limited: number } {
    return this.state.others;
  }

  /** What is wrong just now; assign to switch, `{}` to heal. */
  get faults(): Faults {
    return this.state.faults;
  }

  set faults(faults: Faults) {
    this.state.faults = faults;
  }

  /** @throws Error before `start()`. */
  get url(): string {
    if (this.address === null) throw new Error('The simulated provider has no address yet: await start() first.');
    return this.address;
  }

  /**
   * The longest this process's event loop was late since `start()`. A run with more than half of the guard is no judge of
   * the client: the provider itself saw requests late.
   */
  get latenessMs(): number {
    return this.loop === null || this.loop.count === 0
      ? 0
      : Math.max(0, this.loop.max / NS_PER_MS - LOOP_RESOLUTION_MS);
  }

  /** What happens to the next admitted requests, in place of what was left of the script before. */
  play(steps: Script | readonly ScriptStep[]): void {
    this.state.script = Array.isArray(steps) ? script(steps as readonly ScriptStep[]) : checkedScript(steps as Script);
  }

  /** Listens on 127.0.0.1. `port` 0: one that was free. */
  async start(port = 0): Promise<void> {
    if (this.front !== null) throw new Error('The simulated provider is running already.');
    this.front = new HttpFront(this.engineOn(this.engine?.clock ?? new SystemClock()));
    this.loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
    this.loop.enable();
    this.address = await this.front.listen(port);
  }

  /** Ends everything that is under way and frees the port. Calling it again does nothing. */
  async stop(): Promise<void> {
    this.loop?.disable();
    this.engine?.stop();
    const { front } = this;
    this.front = null;
    this.address = null;
    await front?.close();
  }

  /**
   * An Axios adapter that reaches this provider without sockets; several may be made on the same clock.
   *
   * @throws Error when the simulator already runs on another clock.
   */
  transport(clock: Clock, options?: TransportOptions): AxiosAdapter {
    return createTransport(this.engineOn(clock), options);
  }

  private engineOn(clock: Clock): Engine {
    this.engine ??= new Engine(clock, this.options, this.random, this.state);
    if (this.engine.clock !== clock)
      throw new Error('One simulated provider runs on one clock: make a second one for another clock.');
    return this.engine;
  }
}
