import { currentContext, type RequestTally } from '../../../core/src/index.js';
import type { Invocation } from './invocation.js';
import { planAt } from './method-site.js';

/** Of one invocation: whether a request was made inside it, and what to say where the method never made one. */
export interface RequestWatch {
  readonly tally: RequestTally;
  /** The invocation has ended well. */
  ended(): void;
}

/**
 * Null = there is nothing to find out: the method has made requests, was told of, or is only covered by its class, whose
 * helpers make none.
 */
export function watchRequests({ application, runtime, site }: Invocation): RequestWatch | null {
  if (application.knownMethods.has(site) || !planAt(site).own) return null;
  const provider = runtime.contract.name;
  const tally: RequestTally = { provider, made: false, outer: currentContext().method?.tally ?? null };
  return {
    tally,
    ended: () => {
      if (application.knownMethods.has(site)) return;
      application.knownMethods.add(site);
      if (tally.made) return;
      application.reportGuess(
        provider,
        `${site.label} ended without a request through the client of "${provider}"`,
        `nothing was guarded. Inject it with @InjectProvider('${provider}'), attach() yours, or use guard: 'method'`,
      );
    },
  };
}
