import type { AxiosInstance, InternalAxiosRequestConfig } from 'axios';
import {
  type AttemptEnd,
  type Call,
  type CallIdentity,
  type CallSpec,
  copyError,
  currentContext,
  joinSignals,
  type ProviderRuntime,
} from '../../core/src/index.js';
import { Answer, answered, answerOf } from './answer.js';
import type { ReadKeys } from './read-key.js';

type Config = InternalAxiosRequestConfig;

/** What a call came to, before anybody's own rules look at it. */
export interface Outcome {
  readonly end: AttemptEnd;
  readonly call: Pick<Call, 'provider' | 'attempts' | 'waitedMs' | 'operationId'>;
}

/** What Axios' types do not tell of its fetch adapter. */
interface FetchConfig {
  readonly fetchOptions?: { readonly dispatcher?: unknown };
  readonly env?: { readonly fetch?: unknown };
}

/** Whether a request can be answered by another's answer at all: a read by GET or HEAD, without a body or a hook of its own. */
function shareable(config: Config, instance: AxiosInstance): boolean {
  const { method = 'get', data, responseType, onDownloadProgress, onUploadProgress, beforeRedirect } = config;
  if ((method !== 'get' && method !== 'head') || data !== undefined || responseType === 'stream') return false;
  if (onDownloadProgress || onUploadProgress || beforeRedirect || config.sluice?.body) return false;
  // What leads elsewhere, or as somebody else (a client's certificate), cannot be compared.
  const { defaults } = instance;
  const { fetchOptions, env } = config as FetchConfig;
  const own = defaults as FetchConfig;
  if (fetchOptions !== undefined && fetchOptions.dispatcher !== own.fetchOptions?.dispatcher) return false;
  return (
    env?.fetch === own.env?.fetch &&
    config.httpAgent === defaults.httpAgent &&
    config.httpsAgent === defaults.httpsAgent &&
    config.transport === defaults.transport &&
    config.lookup === defaults.lookup
  );
}

/** Runs `perform` for this caller alone, or lets it have a part in what an equal read brings. */
export function sharedOr(
  runtime: ProviderRuntime,
  instance: AxiosInstance,
  keys: ReadKeys,
  config: Config,
  full: string,
  spec: CallSpec,
  perform: (spec: CallSpec) => Promise<Outcome>,
): Promise<Outcome> {
  const { singleFlight, requestReuse } = runtime.contract.demand;
  if ((!singleFlight && !requestReuse) || !shareable(config, instance)) return perform(spec);
  // A flight waits for nobody in particular: what holds up a stored operation, or its lookup, has to be written down for it.
  const { operation, lookup } = currentContext().method ?? {};
  if ((operation?.trail ?? lookup?.trail) !== undefined) return perform(spec);
  const identity = runtime.identify(spec);
  if (identity.observe || identity.safety !== 'safe') return perform(spec);
  if (!singleFlight && identity.reuse === null) return perform(spec);
  const key = keys.keyOf(config, full, identity);
  if (key === null) return perform(spec);
  return shared(runtime, key, identity, spec, perform);
}

function shared(
  runtime: ProviderRuntime,
  key: string,
  identity: CallIdentity,
  spec: CallSpec,
  perform: (spec: CallSpec) => Promise<Outcome>,
): Promise<Outcome> {
  const { lane, deadlineMono, partition, reuse, signals } = identity;
  const { demand, contract } = runtime;
  const { signal = null, release } = joinSignals(signals);
  const givenUp = (reason: unknown): Outcome => leftFlight(contract.name, reason);
  const sharing = demand.share<Outcome>(
    { key, lane, deadlineMono, partition, signal, reuse, streams: false, reusable: isSuccess, givenUp },
    (flight) => perform(new FlightSpec(spec, identity, flight)),
    copyOf,
  );
  return signals.length > 1 ? sharing.finally(release) : sharing;
}

/** The call that is made for all who are aboard. */
class FlightSpec implements CallSpec {
  readonly request: CallSpec['request'];
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly streams = false;
  readonly resendable: boolean;

  constructor(
    { request, timeoutMs = 0, resendable = true }: CallSpec,
    readonly identity: CallIdentity,
    readonly flight: NonNullable<CallSpec['flight']> & { readonly signal: AbortSignal | undefined },
  ) {
    this.request = request;
    this.signal = flight.signal;
    this.timeoutMs = timeoutMs;
    this.resendable = resendable;
  }

  get options(): CallSpec['options'] {
    return this.identity.options;
  }
}

function isSuccess({ end }: Outcome): boolean {
  return end.decision === 'deliver' && end.reason === null && end.result.status < 400;
}

/** A member that leaves its flight: the flight may go on for others. */
function leftFlight(provider: string, error: unknown): Outcome {
  return {
    end: {
      decision: 'raise',
      result: null,
      outcome: 'cancelled',
      reason: null,
      error,
      cancelled: true,
      lastAnswer: null,
      retryAt: null,
    },
    call: { provider, attempts: 0, waitedMs: 0, operationId: null },
  };
}

/** What one does to its copy (transforms, an interceptor that edits) the others never see. */
function copyOf(outcome: Outcome): Outcome {
  const { end, call } = outcome;
  switch (end.decision) {
    case 'deliver':
      return { call, end: { ...end, result: copiedResult(end.result) } };
    case 'raise':
      return {
        call,
        end: {
          ...end,
          error: copyError(end.error),
          lastAnswer: end.lastAnswer === null ? null : copiedResult(end.lastAnswer),
        },
      };
    case 'retry':
      return outcome;
  }
}

type Answered = Extract<AttemptEnd, { decision: 'deliver' }>['result'];

function copiedResult(result: Answered): Answered {
  const { response, error, secret } = answerOf(result) as Answer;
  const { data, headers } = response as { data: unknown; headers: { concat?: () => object } };
  const copy = { ...response, data: copiedData(data), headers: headers?.concat?.() ?? { ...headers } };
  return answered(new Answer(copy as typeof response, null, error === null ? null : copyError(error), secret));
}

function copiedData(data: unknown): unknown {
  if (Buffer.isBuffer(data)) return Buffer.from(data);
  return typeof data === 'object' && data !== null ? structuredClone(data) : data;
}
