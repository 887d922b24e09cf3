import { Authenticator } from '../auth/authenticator.js';
import { asAttempt, insideAttempt } from '../context/attempt-scope.js';
import { currentContext, isAuthenticating } from '../context/context.js';
import type { SluiceContext } from '../context/contexts.js';
import { applyPatch, refuseFunctions } from '../contract/apply-patch.js';
import type { ProviderPatch } from '../contract/options.js';
import type { ProviderContract, ResolvedContract } from '../contract/resolved.js';
import { createDemand } from '../demand/demand.js';
import type { DemandLayer } from '../demand/options.js';
import { shelfOf } from '../demand/reuse.js';
import { configError } from '../errors/config-error.js';
import { SluiceError } from '../errors/sluice-error.js';
import type { Admission } from '../gate/admission.js';
import type { Fleet } from '../gate/fleet.js';
import { createAdmission } from '../gate/client/create-admission.js';
import type { Partition } from '../model/outcome.js';
import type { AttemptContext, Call, CallIdentity, CallSpec } from './call.js';
import { Sleepers } from './between-attempts.js';
import type { CallEnv } from './call-env.js';
import { type CallPlan, planCall, planFlight } from './call-plan.js';
import { PlannedIdentity } from './identity.js';
import { LiveCall } from './live-call.js';
import { ObservedCall } from './observed-call.js';
import { ProviderReport } from './provider-report.js';
import { runCall, specOf } from './run.js';
import type { ProviderRuntime, RunOptions, RuntimeDeps } from './runtime.js';

/**
 * One provider within one application: opens its gate, and starts its calls.
 *
 * @param admission in place of the line in front of `deps.gate`
 */
export function createProviderRuntime(
  contract: ProviderContract,
  deps: RuntimeDeps,
  admission?: Admission,
): ProviderRuntime {
  if (admission !== undefined) return new Runtime(contract, deps, admission, null);
  const { clock, events, gate, processId } = deps;
  const line = createAdmission({ ...deps, contract: contract.resolved });
  const report = new ProviderReport(contract.name, events, clock);
  const fleet = gate.fleet?.(contract.name, {
    clock,
    processId,
    report: (what, error) => report.hookFailed(what, error),
  });
  return new Runtime(contract, deps, line, fleet ?? null);
}

class Runtime implements ProviderRuntime {
  readonly demand: DemandLayer;
  private readonly report: ProviderReport;
  private readonly sleepers: Sleepers;
  private readonly callIdPrefix: string;
  private readonly auth: Authenticator | null;
  private calls = 0;

  constructor(
    private provider: ProviderContract,
    private readonly deps: RuntimeDeps,
    readonly admission: Admission,
    /** The other processes; null = this one is alone. */
    private readonly fleet: Fleet | null,
  ) {
    this.report = new ProviderReport(provider.name, deps.events, deps.clock);
    this.sleepers = new Sleepers(provider.name, deps.clock);
    this.callIdPrefix = Math.floor(deps.random.next() * 2 ** 40).toString(36);
    const { clock } = deps;
    const { auth, demand } = provider.resolved;
    this.demand = createDemand({ provider: provider.name, options: demand, clock });
    const shared = fleet?.credentials ?? null;
    fleet?.onPatch((patch) => this.takeOver(patch));
    this.auth = auth === null ? null : new Authenticator(provider.resolved, auth, clock, this.report, shared);
  }

  get contract(): ResolvedContract {
    return this.provider.resolved;
  }

  identify(spec: CallSpec): CallIdentity {
    const context = currentContext();
    const plan = planCall(this.contract, spec, context, this.deps.clock.monoMs(), this.report);
    if (!plan.observe) this.refuseInsideAttempt();
    return new PlannedIdentity(this.contract, plan, this.shelfFor(context, plan.partition));
  }

  startCall(spec: CallSpec): Call {
    const plan = this.planOf(spec);
    if (!plan.observe) this.refuseInsideAttempt();
    const env = this.env();
    return plan.observe ? new ObservedCall(env, plan, spec) : new LiveCall(env, plan, spec);
  }

  async run<T>(fn: (context: AttemptContext) => Promise<T> | T, options: RunOptions<T> = {}): Promise<T> {
    const attempt = (context: AttemptContext): Promise<T> => asAttempt(this, () => fn(context));
    return runCall(this.startCall(specOf(options)), attempt, options, (hook, error) =>
      this.report.hookFailed(hook, error),
    );
  }

  update(patch: ProviderPatch): void {
    this.provider = applyPatch(this.provider, patch);
    this.admission.update(this.contract);
  }

  async updateFleet(patch: ProviderPatch): Promise<void> {
    const { fleet } = this;
    const { name } = this.contract;
    if (fleet === null) {
      throw configError(
        name,
        'update(..., { fleet: true })',
        `a ${this.deps.gate.kind} gate`,
        'a gate that processes share',
      );
    }
    applyPatch(this.provider, patch);
    refuseFunctions(name, patch);
    await fleet.announce(patch);
    this.update(patch);
  }

  /** Numbers that hold for all processes. This one may run another release of the contract, which they do not fit. */
  private takeOver(patch: ProviderPatch): void {
    try {
      this.update(patch);
    } catch (error) {
      this.report.hookFailed('fleet update', error);
    }
  }

  async drain(graceMs: number): Promise<void> {
    const drained = this.admission.drain(graceMs);
    this.sleepers.wakeAll();
    await drained;
  }

  close(): Promise<void> {
    this.sleepers.wakeAll();
    this.fleet?.close();
    return this.admission.close();
  }

  private planOf(spec: CallSpec): CallPlan {
    const nowMono = this.deps.clock.monoMs();
    const { flight, identity } = spec;
    const known = identity instanceof PlannedIdentity && identity.contract === this.contract ? identity.plan : null;
    return known === null || flight === undefined
      ? planCall(this.contract, spec, currentContext(), nowMono, this.report)
      : planFlight(this.contract, known, spec, flight, nowMono);
  }

  private shelfFor({ inbound }: SluiceContext, partition: Partition): Map<string, unknown> | null {
    if (inbound === null || !this.contract.demand.requestReuse) return null;
    return shelfOf(inbound.reuse, this.contract.name, partition);
  }

  /** Its permit would be waited for while one is held, and its retries would multiply with those around it. */
  private refuseInsideAttempt(): void {
    if (!insideAttempt(this)) return;
    const { name } = this.contract;
    throw new SluiceError({
      code: 'CONFIG',
      provider: name,
      message:
        `Provider "${name}": a call of this provider began inside a function that is an attempt of it already (run(), or ` +
        `guard: 'method'), or that one waits for (beforeSend, the \`body\` of a request); it would be admitted twice, and could wait for itself. Remove \`guard: 'method'\` from the method around it: by the default, ` +
        `guard: 'requests', each request through the provider's client is an attempt. Or send inside by a client that is not attached.`,
    });
  }

  private env(): CallEnv {
    const { clock, random } = this.deps;
    return {
      contract: this.provider,
      owner: this,
      admission: this.admission,
      // Whoever fetches credentials through the provider's own client cannot wait for them.
      auth: this.auth !== null && isAuthenticating(this.provider.name) ? null : this.auth,
      clock,
      random,
      report: this.report,
      sleepers: this.sleepers,
      demand: this.demand,
      newCallId: () => `${this.callIdPrefix}-${(this.calls += 1).toString(36)}`,
    };
  }
}
