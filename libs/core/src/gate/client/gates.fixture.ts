/** Gates for the specs: one whose every reply is written by the test, and one that answers late. */
import type { GateView } from '../gate-view.js';
import type { ResolvedContract } from '../../contract/resolved.js';
import type { ProviderOptions } from '../../contract/options.js';
import { defineProvider } from '../../contract/define-provider.js';
import type { SluiceEvent } from '../../events/events.js';
import type { Clock } from '../../time/clock.js';
import type { AdmissionRequest, Settlement } from '../admission.js';
import type { Ask, Gate, GateEnv, Grant, ProviderGate, StepInput, StepReply, Wait } from '../port.js';

export function contractOf(options: Partial<ProviderOptions> & Pick<ProviderOptions, 'limits'>): ResolvedContract {
  return defineProvider({ name: 'crm', ...options }).resolved;
}

/** A plain first attempt in the most urgent lane, with a minute to wait. */
export function request(overrides: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    lane: 0,
    tenant: '',
    partition: {},
    route: null,
    units: {},
    kind: 'first',
    safety: 'safe',
    attemptMs: 10_000,
    needMs: 0,
    deadlineMono: Infinity,
    maxWaitMs: 60_000,
    place: null,
    observe: false,
    ...overrides,
  };
}

export function settlement(overrides: Partial<Settlement> = {}): Settlement {
  return { end: 'answered', health: 'alive', refusal: null, trueUnits: null, seen: [], ...overrides };
}

export function recorder(): { readonly active: boolean; emit(build: () => SluiceEvent): void; events: SluiceEvent[] } {
  const events: SluiceEvent[] = [];
  return { active: true, events, emit: (build) => void events.push(build()) };
}

type PartialReply = Partial<StepReply>;

/** Answers as `judge` says, and keeps what it was asked. Every settle is answered as not stale, without a place. */
export class ScriptedGate implements Gate, ProviderGate {
  readonly kind = 'scripted';
  readonly inputs: StepInput[] = [];
  closed = 0;
  updates = 0;
  listeners = new Set<(keys: readonly string[]) => void>();
  private seq = 0;

  constructor(
    private readonly clock: Clock,
    public judge: (input: StepInput, gate: ScriptedGate) => PartialReply = (input, gate) => gate.grantAll(input),
  ) {}

  open(_contract: ResolvedContract, _env: GateEnv): ProviderGate {
    return this;
  }

  get nowUs(): number {
    return Math.round(this.clock.monoMs() * 1000);
  }

  step(input: StepInput): StepReply {
    this.inputs.push(input);
    const reply = this.judge(input, this);
    return {
      nowUs: this.nowUs,
      seq: this.seq,
      grants: [],
      waits: [],
      denials: [],
      settles: input.settles.map(({ leaseId }) => ({ leaseId, stale: false, place: null })),
      changes: [],
      wake: [],
      ...reply,
    };
  }

  grantAll(input: StepInput): PartialReply {
    return { grants: input.asks.flatMap((ask) => this.grants(ask, ask.heads.length)) };
  }

  /** Grants for the first `count` heads of an ask. */
  grants(ask: Ask, count: number): Grant[] {
    return ask.heads.slice(0, count).map((head) => {
      this.seq += 1;
      return {
        ticketKey: ask.ticket.key,
        headId: head.id,
        leaseId: `lease-${this.seq}`,
        seq: this.seq,
        expiresAtUs: this.nowUs + head.attemptUs,
        probe: false,
        probesBreaker: false,
        shadow: head.observe ? { cause: 'rate', limit: 0, waitUs: 1_500_000 } : null,
      };
    });
  }

  /** The ticket stays in line until `inMs` from now. */
  wait(ask: Ask, inMs: number, overrides: Partial<Wait> = {}): Wait {
    const atUs = this.nowUs + inMs * 1000;
    return {
      ticketKey: ask.ticket.key,
      pollAtUs: atUs,
      cause: 'rate',
      limit: 0,
      estimateUs: atUs,
      certainUs: atUs,
      ...overrides,
    };
  }

  hint(keys: readonly string[]): void {
    for (const listener of this.listeners) listener(keys);
  }

  onWake(listener: (keys: readonly string[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  update(): void {
    this.updates += 1;
  }

  inspect(): GateView {
    return {
      provider: 'crm',
      limits: [],
      partitions: 0,
      leases: 0,
      tickets: 0,
      pauses: [],
      breaker: 'off',
      budget: null,
      fleet: null,
    };
  }

  close(): void {
    this.closed += 1;
  }

  /** Settles received so far. */
  get settles(): StepInput['settles'] {
    return this.inputs.flatMap((input) => input.settles);
  }

  get asks(): StepInput['asks'] {
    return this.inputs.flatMap((input) => input.asks);
  }
}

/** The same gate, elsewhere: the step runs after half the round trip, its reply comes after the other half. */
export function delayed(inner: Gate, clock: Clock, roundTripMs: () => number): Gate {
  return {
    kind: `delayed ${inner.kind}`,
    open(contract, env) {
      const gate = inner.open(contract, env);
      return {
        step(input) {
          const halfMs = roundTripMs() / 2;
          return new Promise((resolve, reject) => {
            clock.schedule(halfMs, () => {
              let reply: StepReply | Promise<StepReply>;
              try {
                reply = gate.step(input);
              } catch (error) {
                clock.schedule(halfMs, () => reject(error));
                return;
              }
              clock.schedule(halfMs, () => resolve(reply));
            });
          });
        },
        onWake: (listener) => gate.onWake((keys) => void clock.schedule(roundTripMs() / 2, () => listener(keys))),
        update: (contract2) => gate.update(contract2),
        inspect: () => gate.inspect(),
        close: () => gate.close(),
      };
    },
  };
}
