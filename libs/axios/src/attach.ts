import type { AxiosInstance, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { configError, type ProviderRuntime, SluiceError } from '../../core/src/index.js';
import { AgentCheck, DefaultAgents } from './agents.js';
import { type AxiosDeps, type AxiosGuard, createGuard } from './guard.js';
import { bareInstance, ownErrorsOf } from './own-copy.js';
import type { AdapterChoice } from './attempt-config.js';
import type { AxiosLike } from './axios-like.js';

/** Gives the instance back as it was. Calling it again does nothing. */
export type Detach = () => void;

type Config = InternalAxiosRequestConfig;
type Adapter = ((config: Config) => Promise<AxiosResponse>) & { [ATTACHED]?: string };

/** On adapters of ours, so that every copy of the package knows them: the provider's name. */
const ATTACHED: unique symbol = Symbol.for('nestjs-sluice/attached@1') as never;

/** What Axios shows each interceptor's `runWhen`: the config as merged, before any interceptor ran. */
interface Manager {
  forEach(visit: (interceptor: { runWhen(config: Config): boolean }) => void): void;
}

/**
 * Puts the gate of a provider into an Axios instance, at the innermost place: all its methods and all who hold it pass, and
 * interceptors run once per call. A request's own `adapter` becomes its transport, inside the gate; an adapter that an
 * interceptor puts in (a cache's) answers without it. Instances that it makes from now on by `create()` are guarded alike.
 *
 * @throws SluiceError CONFIG when the instance is attached already, or its agents have fewer sockets than the contract's
 *   concurrency limit.
 */
export function attachAxios(target: AxiosLike, runtime: ProviderRuntime, deps: AxiosDeps): Detach {
  const { name } = runtime.contract;
  const instance = target as AxiosInstance;
  if (typeof instance?.create !== 'function') throw configError(name, 'instance', instance, 'an Axios instance');
  const { defaults } = instance;
  const original: AdapterChoice = defaults.adapter;
  refuseSecond(original, name);
  const agentCheck = new AgentCheck();
  agentCheck.check(runtime.contract, 'httpAgent', defaults.httpAgent);
  agentCheck.check(runtime.contract, 'httpsAgent', defaults.httpsAgent);
  const bare = bareInstance(instance);
  const agents = new DefaultAgents();
  const errors = ownErrorsOf(bare);
  const guard = createGuard({ instance, bare, transport: original, runtime, agents, agentCheck, errors, ...deps });
  const guarded = adapterOf(guard, original, name);
  defaults.adapter = guarded;
  const adopt = adoption(guard, guarded, name);
  const release = adoptOwnAdapters(instance, adopt);
  const forgetChildren = adoptChildren(instance, adopt);
  let attached = true;
  return () => {
    if (!attached) return;
    attached = false;
    release();
    forgetChildren();
    guard.open();
    if (defaults.adapter === guarded) defaults.adapter = original as never;
    agents.close();
  };
}

function refuseSecond(adapter: AdapterChoice, name: string): void {
  const other = (adapter as Adapter | undefined)?.[ATTACHED];
  if (other === undefined) return;
  throw new SluiceError({
    code: 'CONFIG',
    provider: name,
    message:
      `Provider "${name}": this Axios instance is already attached to provider "${other}"; a second gate would admit and ` +
      `count every request twice. Detach it first, or attach an instance of its own.`,
  });
}

function adapterOf(guard: AxiosGuard, transport: AdapterChoice, name: string): Adapter {
  const adapter: Adapter = (config) => guard.handle(config, transport);
  adapter[ATTACHED] = name;
  return adapter;
}

/** An interceptor of which Axios asks no more than whether it takes part. */
interface Adopt {
  runWhen(config: Config): false;
}

function adoption(guard: AxiosGuard, guarded: Adapter, name: string): Adopt {
  return {
    runWhen(config) {
      const { adapter } = config;
      if (adapter !== guarded && adapter !== undefined && (adapter as Adapter)[ATTACHED] === undefined) {
        config.adapter = adapterOf(guard, adapter, name);
      }
      return false;
    },
  };
}

/**
 * A request that names an adapter would go past the instance's own. Axios offers each merged config to the interceptors'
 * `runWhen` before it runs any of them; one that answers `false` is no part of the chain.
 */
function adoptOwnAdapters(instance: AxiosInstance, adopt: Adopt): () => void {
  const manager = instance.interceptors.request as unknown as Manager;
  const { forEach } = manager;
  const own = Object.getOwnPropertyDescriptor(manager, 'forEach');
  manager.forEach = function (visit) {
    visit(adopt);
    forEach.call(this, visit);
  };
  return () => {
    if (own === undefined) delete (manager as Partial<Manager>).forEach;
    else Object.defineProperty(manager, 'forEach', own);
  };
}

/** Instances made by it inherit the guarded adapter, but not what adopts the others. */
function adoptChildren(instance: AxiosInstance, adopt: Adopt): () => void {
  const { create } = instance;
  const adopting: AxiosInstance['create'] = (defaults) => {
    const child = create(defaults);
    adoptOwnAdapters(child, adopt);
    adoptChildren(child, adopt);
    return child;
  };
  instance.create = adopting;
  return () => {
    if (instance.create === adopting) instance.create = create;
  };
}
