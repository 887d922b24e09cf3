import http from 'node:http';
import https from 'node:https';
import { configError, largestConcurrency, type ResolvedContract } from '../../core/src/index.js';

/** What is read of a user's agent; proxies and mocks may be anything. */
interface AgentLike {
  readonly maxSockets?: unknown;
  readonly maxTotalSockets?: unknown;
}

/** Keep-alive agents without a socket cap of their own: how much runs at once is the gate's decision. */
export class DefaultAgents {
  private plain: http.Agent | null = null;
  private secure: https.Agent | null = null;

  get http(): http.Agent {
    return (this.plain ??= new http.Agent(uncapped(http.globalAgent)));
  }

  get https(): https.Agent {
    return (this.secure ??= new https.Agent(uncapped(https.globalAgent)));
  }

  /** Ends idle sockets, and those in use as soon as they become idle. */
  close(): void {
    for (const agent of [this.plain, this.secure]) {
      if (agent === null) continue;
      (agent as unknown as { keepAlive: boolean }).keepAlive = false;
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    }
  }
}

/**
 * Axios sets the delay of each socket's keep-alive with every request, and the agent sets its own when the socket becomes idle:
 * where the two are one, neither has anything to set.
 */
const AXIOS_KEEP_ALIVE_MS = 60_000;

/** What the process set for all (certificates, proxies of the environment) stays. */
function uncapped(globalAgent: http.Agent): http.AgentOptions {
  const { options } = globalAgent as unknown as { options?: http.AgentOptions };
  return {
    ...options,
    keepAlive: true,
    keepAliveMsecs: AXIOS_KEEP_ALIVE_MS,
    maxSockets: Infinity,
    maxTotalSockets: Infinity,
  };
}

/** Tells once per agent and contract that an agent of the user's would hold attempts up behind the gate's back. */
export class AgentCheck {
  private readonly passed = new WeakMap<object, ResolvedContract>();

  /** @throws SluiceError CONFIG when the agent has fewer sockets than the contract's concurrency limit. */
  check(contract: ResolvedContract, option: 'httpAgent' | 'httpsAgent', agent: unknown): void {
    if (typeof agent !== 'object' || agent === null || this.passed.get(agent) === contract) return;
    const needed = largestConcurrency(contract) ?? 0;
    for (const cap of ['maxSockets', 'maxTotalSockets'] as const) {
      const sockets = (agent as AgentLike)[cap];
      if (typeof sockets === 'number' && sockets < needed) {
        throw configError(
          contract.name,
          `${option}.${cap}`,
          sockets,
          `at least the concurrency limit, ${needed}: attempts that hold a permit would wait for a socket`,
        );
      }
    }
    this.passed.set(agent, contract);
  }
}
