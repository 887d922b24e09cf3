import { insideAttempt, isUnguarded } from '../../../core/src/index.js';
import { SLUICE_APPLICATION } from '../rate-limit.constants.js';
import { noApplication, withoutThrottled } from '../rate-limit.messages.js';
import type { SluiceApplication } from '../sluice-application.js';
import { type Described, optionsOf, storedOptionsOf } from './invocation.js';
import { methodAttempt } from './method-attempt.js';
import { failAs, type MethodSite, planAt } from './method-site.js';
import { requestsInside } from './requests-inside.js';
import { beyondStoredRun, storedRunOf } from './stored-run.js';

/** What a stub does: one invocation of a decorated method. */
export function invokeGuarded(site: MethodSite, host: unknown, args: readonly unknown[]): unknown {
  const stored = storedRunOf(site, host);
  const original = (): unknown => Reflect.apply(site.original, host, args);
  const body = stored === null ? original : (): unknown => beyondStoredRun(original);
  if (isUnguarded()) return body();
  const { throttled, idempotent, durable } = planAt(site);
  const application = applicationOf(host);
  if (application === null) return failAs(site, noApplication(site.label));
  if (throttled === null) return failAs(site, withoutThrottled(site.label));
  try {
    const runtime = application.runtime(throttled.provider, site.label);
    const isAttempt = throttled.options.guard === 'method';
    if (isAttempt && insideAttempt(runtime)) return body();
    const described: Described = {
      application,
      runtime,
      site,
      throttled: throttled.options,
      idempotent,
      durable,
      args,
    };
    const options = stored === null ? optionsOf(described) : storedOptionsOf(described, stored.owner);
    const invocation = { ...described, site, options, host: host as object, body, stored };
    return isAttempt ? methodAttempt(invocation) : requestsInside(invocation);
  } catch (error) {
    return failAs(site, error);
  }
}

function applicationOf(host: unknown): SluiceApplication | null {
  if (typeof host !== 'object' || host === null) return null;
  return (host as { readonly [SLUICE_APPLICATION]?: SluiceApplication })[SLUICE_APPLICATION] ?? null;
}
