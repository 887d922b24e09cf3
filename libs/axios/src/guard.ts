import type { AxiosInstance, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import {
  type AttemptEnd,
  type CallSpec,
  type Clock,
  type ProviderRuntime,
  type Random,
  SluiceError,
  whenAborted,
} from '../../core/src/index.js';
import type { AgentCheck, DefaultAgents } from './agents.js';
import { answerOf } from './answer.js';
import { type CallerSignal, callerSignal, NOBODY } from './caller-signal.js';
import { configBack, responseBack } from './config-back.js';
import { Exchange, type ExchangeEnv, isLast } from './exchange.js';
import { finish } from './finish.js';
import { IDENTITY, type OwnErrors } from './own-copy.js';
import { type BodySource, bodySource } from './request-body.js';
import { ReadKeys } from './read-key.js';
import { fullUrl, requestView } from './request-view.js';
import { Resender } from './resend.js';
import { type AdapterChoice, kindOf } from './attempt-config.js';
import { type Outcome, sharedOr } from './shared.js';

type Config = InternalAxiosRequestConfig;

type GetAdapter = (name: 'http') => (config: Config) => Promise<AxiosResponse>;

/** The default export of a copy of axios; instances made by it have no `getAdapter`. */
interface AxiosExport {
  readonly interceptors: { readonly request: object };
  readonly getAdapter?: GetAdapter;
}

export interface AxiosDeps {
  /**
   * The default export of axios, which may be of another copy than the instance. Where it is of the very same, an attempt
   * goes straight to its HTTP adapter and saves a second pass through the core of axios.
   */
  readonly axios?: object;
  readonly clock: Clock;
  readonly random: Random;
}

export interface GuardEnv extends AxiosDeps {
  readonly instance: AxiosInstance;
  readonly bare: AxiosInstance;
  /** What the instance's own adapter was. */
  readonly transport: AdapterChoice;
  readonly runtime: ProviderRuntime;
  readonly agents: DefaultAgents;
  readonly agentCheck: AgentCheck;
  readonly errors: () => Promise<OwnErrors>;
}

/** What stands in the place of an instance's adapter. */
export interface AxiosGuard {
  /** One call, from its config after interceptors and transforms to its final answer. */
  handle(config: Config, transport: AdapterChoice): Promise<AxiosResponse>;
  /** From now on requests pass unguarded: for those who took the adapter before it was detached. */
  open(): void;
}

export function createGuard(env: GuardEnv): AxiosGuard {
  const { runtime, clock, random, bare, agents, errors } = env;
  const httpAdapter = httpAdapterOf(env);
  const exchangeEnv: ExchangeEnv = { provider: runtime.contract.name, clock, bare, agents, errors, httpAdapter };
  const resender = new Resender(bare);
  const keys = new ReadKeys(runtime.contract.name, bare);
  let guarding = true;

  function handle(config: Config, transport: AdapterChoice): Promise<AxiosResponse> {
    if (!guarding) return unguarded(bare, config, transport);
    let caller = NOBODY;
    let performing: Promise<Outcome>;
    try {
      const full = fullUrl(config);
      checkConfig(env, config, full, transport);
      caller = callerSignal(config);
      const body = bodySource(config, random, runtime);
      const perform = (spec: CallSpec): Promise<Outcome> => performed(config, transport, body, spec);
      const spec = specOf(config, full, caller, body.resendable);
      // A request's own adapter may answer anything: its answers are nobody else's.
      const shared = transport === env.transport;
      performing = shared ? sharedOr(runtime, env.instance, keys, config, full, spec, perform) : perform(spec);
    } catch (error) {
      caller.release();
      return Promise.reject(error);
    }
    return performing.then(
      (outcome) => {
        if (!keepStream(outcome.end, caller)) caller.release();
        return answer(outcome, config);
      },
      (error: unknown) => {
        caller.release();
        configBack(error, config, false);
        throw error;
      },
    );
  }

  function answer(outcome: Outcome, config: Config): AxiosResponse | Promise<AxiosResponse> {
    try {
      return finish(outcome, config, errors);
    } catch (error) {
      // What came of a flight carries the config of whoever took off first.
      configBack(error, config, false);
      throw error;
    }
  }

  function performed(config: Config, transport: AdapterChoice, body: BodySource, spec: CallSpec): Promise<Outcome> {
    const call = runtime.startCall(spec);
    const exchange = new Exchange(exchangeEnv, call, config, transport, body);
    return exchange.attempt().then((end) => (isLast(end) ? { end, call } : goneOn(exchange, end)));
  }

  /** What follows on a first attempt that was not the last. */
  async function goneOn(exchange: Exchange, first: AttemptEnd): Promise<Outcome> {
    await exchange.goOn(first);
    if (exchange.wantsRetry) await resender.run(exchange);
    if (exchange.thrown !== null) throw exchange.thrown.error;
    if (exchange.end === null) throw new TypeError('A call ended without an end.');
    return { end: exchange.end, call: exchange.call };
  }

  return { handle, open: () => void (guarding = false) };
}

/** Known by a class that no two copies share; null = no export of this copy is at hand. */
function httpAdapterOf({ instance, axios }: GuardEnv): ExchangeEnv['httpAdapter'] {
  for (const copy of [instance, axios] as (AxiosExport | undefined)[]) {
    const sameCopy = copy?.interceptors?.request.constructor === instance.interceptors.request.constructor;
    if (sameCopy && copy.getAdapter !== undefined) return copy.getAdapter('http');
  }
  return null;
}

const NO_OPTIONS: CallSpec['options'] = Object.freeze({});

function specOf(config: Config, full: string, caller: CallerSignal, resendable: boolean): CallSpec {
  const timeoutMs = Number(config.timeout);
  return {
    request: requestView(config, full),
    options: config.sluice ? optionsOf(config.sluice) : NO_OPTIONS,
    signal: caller.signal,
    timeoutMs: timeoutMs > 0 ? timeoutMs : 0,
    streams: config.responseType === 'stream',
    resendable,
  };
}

/** Those of the call; the body is a matter of Axios. */
function optionsOf(given: NonNullable<Config['sluice']>): CallSpec['options'] {
  if (given.body === undefined) return given;
  const { body: _, ...options } = given;
  return options;
}

/** @throws SluiceError CONFIG */
function checkConfig({ runtime, agentCheck }: GuardEnv, config: Config, full: string, transport: AdapterChoice): void {
  const { contract } = runtime;
  const isObserved = contract.lanes.every(({ mode }) => mode === 'observe');
  if ((config as { 'axios-retry'?: unknown })['axios-retry'] !== undefined && !isObserved) {
    throw new SluiceError({
      code: 'CONFIG',
      provider: contract.name,
      message: `Remove axiosRetry(instance) from the client of "${contract.name}": its contract's \`retry\` does that, and what axios-retry sends again would multiply with it.`,
    });
  }
  if (kindOf(transport, config) !== 'other' && !isSendable(full, config.socketPath)) {
    const { name } = contract;
    throw new SluiceError({
      code: 'CONFIG',
      provider: name,
      message: `Provider "${name}": the request has no valid absolute URL. Set \`http.baseURL\` of the contract, or request a full URL.`,
    });
  }
  // What is only observed is refused nothing that Axios alone would send.
  if (isObserved) return;
  if (kindOf(transport, config) === 'fetch' && !/^(?:https?|data|blob):/i.test(full)) {
    const { name } = contract;
    // Told by fetch like a failure of the network, it would be tried again.
    throw new SluiceError({
      code: 'CONFIG',
      provider: name,
      message: `Provider "${name}": the URL of the request has a scheme that fetch does not know; nothing was sent. Request an http: or https: URL.`,
    });
  }
  if (config.httpAgent) agentCheck.check(contract, 'httpAgent', config.httpAgent);
  if (config.httpsAgent) agentCheck.check(contract, 'httpsAgent', config.httpsAgent);
}

/** Whoever gives up while a delivered stream is being read ends it; our listener goes when the stream does. */
function keepStream(end: Outcome['end'], { signal, release }: CallerSignal): boolean {
  if (end.decision !== 'deliver') return false;
  const stream = answerOf(end.result)?.stream ?? null;
  if (stream === null) return false;
  const onAbort = (): void => stream.discard(new Error('The caller gave up.', { cause: signal?.reason }));
  const unlisten = signal === undefined || signal.aborted ? null : whenAborted(signal, onAbort);
  if (signal?.aborted) onAbort();
  void stream.rest.then(() => {
    unlisten?.();
    release();
  });
  return true;
}

async function unguarded(bare: AxiosInstance, config: Config, transport: AdapterChoice): Promise<AxiosResponse> {
  const direct = { ...config, adapter: transport, transformRequest: IDENTITY, transformResponse: IDENTITY };
  try {
    const response = await bare.request(direct as never);
    responseBack(response, config, false);
    return response;
  } catch (error) {
    configBack(error, config, false);
    throw error;
  }
}

/** The quick look is enough for nearly all. Addresses within a data: URL are Axios's to judge. */
function isSendable(url: string, socketPath: string | null | undefined): boolean {
  if (/^https?:\/\/[\w.-]+([:/?#]|$)/i.test(url)) return true;
  return URL.canParse(url, socketPath ? 'http://localhost' : undefined);
}
