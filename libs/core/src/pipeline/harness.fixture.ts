import { getEventListeners } from 'node:events';
import { SeededRandom, VirtualClock } from '../../../testing/src/index.js';
import { defineProvider } from '../contract/define-provider.js';
import type { ProviderOptions } from '../contract/options.js';
import { EventHub } from '../events/event-hub.js';
import type { SluiceEvent } from '../events/events.js';
import type { Gate } from '../gate/port.js';
import { AdmissionDouble } from './admission-double.fixture.js';
import type { AttemptContext, AttemptEnd, AttemptResult, Call, CallOptions, CallSpec, Recordable } from './call.js';
import { createProviderRuntime } from './create-runtime.js';
import type { ProviderRuntime } from './runtime.js';
import { ScriptedProvider } from './scripted-provider.fixture.js';

/** The provider `P{}` of the fault cases: no rate, jitter or breaker, backoff 1000 x 2^n, a pause that coincides with it. */
export const P: ProviderOptions = {
  name: 'crm',
  limits: [{ kind: 'concurrency', limit: 10 }],
  retry: {
    maxAttempts: 4,
    throttled: { maxAttempts: 4 },
    baseDelay: '1s',
    maxDelay: '1h',
    maxWait: '60s',
    jitter: 'none',
    budget: false,
  },
  timeouts: { attempt: '10m', total: '1d' },
  pause: { initial: '1s', factor: 2 },
  queue: { maxWait: '1d' },
  guard: 0,
  reading: {},
};

export interface Setup {
  readonly options?: Partial<ProviderOptions>;
  readonly script?: string;
  /** Default: a double of the whole admission, that grants at once. */
  readonly gate?: Gate;
  readonly seed?: number;
}

/** One provider runtime on a virtual clock, in front of a scripted provider. */
export class Harness {
  readonly clock = new VirtualClock();
  readonly events: SluiceEvent[] = [];
  readonly hub = new EventHub();
  readonly provider: ScriptedProvider;
  readonly double: AdmissionDouble;
  readonly runtime: ProviderRuntime;
  private readonly gated: boolean;
  private readonly signals = new Set<AbortSignal>();

  constructor({ options = {}, script = '', gate, seed = 1 }: Setup = {}) {
    const { clock, hub } = this;
    this.gated = gate !== undefined;
    this.provider = new ScriptedProvider(clock, script === '' ? [] : script);
    this.double = new AdmissionDouble(clock);
    hub.subscribe((event) => void this.events.push(event));
    const deps = { clock, random: new SeededRandom(seed), gate: gate as Gate, events: hub, processId: 'p1' };
    const contract = defineProvider({ ...P, ...options, retry: { ...P.retry, ...options.retry } });
    this.runtime = createProviderRuntime(contract, deps, gate === undefined ? this.double : undefined);
  }

  call(method = 'GET', spec: Partial<CallSpec> & { readonly sluice?: CallOptions } = {}): Call {
    const { sluice = {}, signal, ...rest } = spec;
    if (signal !== undefined) this.signals.add(signal);
    return this.runtime.startCall({
      request: { method, path: '/things', query: {}, headers: {}, body: undefined, route: null },
      options: sluice,
      ...(signal === undefined ? {} : { signal }),
      ...rest,
    });
  }

  /** Starts a call, drives it as a client does, and tells its end and when it came. */
  go(method = 'GET', spec: Partial<CallSpec> & { readonly sluice?: CallOptions; readonly name?: string } = {}): Going {
    const { name = 'call', ...rest } = spec;
    return new Going(this, this.call(method, rest), this.provider.sender(name));
  }

  ofType<T extends SluiceEvent['type']>(type: T): Extract<SluiceEvent, { type: T }>[] {
    return this.events.filter((event): event is Extract<SluiceEvent, { type: T }> => event.type === type);
  }

  /** What every case checks at its end: permits back, no timer, no listener. */
  async expectNothingLeft(): Promise<void> {
    for (const signal of this.signals) expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(this.double.endedTwice).toBe(0);
    expect(this.double.open).toBe(0);
    if (this.gated) expect((await this.runtime.admission.inspect()).active).toBe(0);
    await this.runtime.close();
    expect(this.clock.pendingTimers).toBe(0);
  }
}

/** A call under way. */
export class Going {
  end: AttemptEnd | null = null;
  endedAt: number | null = null;
  readonly done: Promise<AttemptEnd>;

  constructor(
    harness: Harness,
    readonly call: Call,
    send: (context: AttemptContext) => Promise<AttemptResult>,
  ) {
    this.done = drive(call, send).then((end) => {
      this.end = end;
      this.endedAt = harness.clock.monoMs();
      return end;
    });
  }

  /** `200`, `503 attempts-exhausted`, `OUTCOME_UNKNOWN`, `cancelled`: how it ended, for a test's comparison. */
  get told(): string {
    const { end } = this;
    if (end === null) return 'under way';
    if (end.decision === 'deliver') return [end.result.status, end.reason].filter((part) => part !== null).join(' ');
    if (end.decision === 'retry') return 'retry';
    if (end.cancelled) return 'cancelled';
    const last = end.lastAnswer === null ? '' : `${end.lastAnswer.status} `;
    const code = (end.error as { code?: string }).code ?? (end.error as Error).name;
    return `${last}${code}${end.reason === null ? '' : ` ${end.reason}`}`;
  }
}

/** Of a client that sends no bodies. */
const BODILESS: Recordable = {
  body: () => ({ bytes: new Uint8Array(0), contentType: null, repeatable: true }),
  keep: ({ value }) => JSON.stringify(value),
  restore: (status, kept) => ({ type: 'answered', status, headers: {}, value: JSON.parse(kept) as unknown }),
};

/** What a client does with a call. */
export async function drive(
  call: Call,
  send: (context: AttemptContext) => Promise<AttemptResult>,
): Promise<AttemptEnd> {
  const options = call.isRecorded ? { recordable: BODILESS } : undefined;
  for (;;) {
    const end = await call.attempt(send, options);
    if (end.decision !== 'retry') return end;
    const ended = await call.backoff();
    if (ended !== null) return ended;
  }
}
