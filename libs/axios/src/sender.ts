import type { AxiosInstance, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import {
  ANSWER_TOO_LARGE,
  type AttemptContext,
  type AttemptResult,
  type Clock,
  SluiceError,
  STALE_GRANT,
} from '../../core/src/index.js';
import type { DefaultAgents } from './agents.js';
import { Answer, answered } from './answer.js';
import { headersOf, httpConfig, type Kind, kindOf, type Outgoing, plainConfig } from './attempt-config.js';
import { configBack } from './config-back.js';
import { SocketProbe, type Transport } from './socket-probe.js';
import { guardStream } from './stream-body.js';

type Config = InternalAxiosRequestConfig;

export interface SenderEnv {
  readonly provider: string;
  readonly clock: Clock;
  readonly bare: AxiosInstance;
  readonly agents: DefaultAgents;
  /** Axios' HTTP adapter itself, where the instance gives it away; null = only by way of the bare instance. */
  readonly httpAdapter: ((config: Config) => Promise<AxiosResponse>) | null;
}

/** Sends one attempt by Axios' own adapters, or the user's, and says how it ended. Never rejects. */
export function send(env: SenderEnv, outgoing: Outgoing, context: AttemptContext): Promise<AttemptResult> {
  const { adapter, config } = outgoing;
  const kind = kindOf(adapter, config);
  const headers = headersOf(outgoing, context);
  const secret = headers !== config.headers;
  const probe =
    kind === 'http' ? new SocketProbe(env.clock, context, (config.transport as Transport | undefined) ?? null) : null;
  // Outlives the attempt: a stream is read, and may be ended, long after it.
  const whole = probe === null && config.responseType === 'stream' ? new AbortController() : null;
  if (probe !== null) context.onCut((reason) => probe.abort(reason));
  else if (whole !== null) context.onCut((reason) => whole.abort(reason));
  const sendNow = (): Promise<AxiosResponse> => {
    if (probe !== null) return sendByHttp(env, httpConfig(env.agents, outgoing, headers, context, probe), secret);
    const attempt = plainConfig(outgoing, headers, context, kind);
    if (whole !== null) attempt.signal = whole.signal;
    return typeof adapter === 'function' ? adapter(attempt) : env.bare.request(attempt);
  };
  return attempted(sendNow).then(
    (response) => answered(received(env, response, context, config, whole, secret)),
    (error: unknown) => {
      configBack(error, outgoing.caller, secret);
      return failed(error, kind, outgoing, probe, secret);
    },
  );
}

/** An adapter of the user's may throw, or give no promise. */
function attempted(sendNow: () => Promise<AxiosResponse>): Promise<AxiosResponse> {
  try {
    const sending: unknown = sendNow();
    return sending instanceof Promise ? sending : Promise.resolve(sending as AxiosResponse);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The adapter makes headers of its own of a plain object; into others it writes, and they may be the caller's own. */
function sendByHttp({ httpAdapter, bare }: SenderEnv, attempt: Config, copied: boolean): Promise<AxiosResponse> {
  if (httpAdapter === null) return bare.request(attempt);
  if (!copied) attempt.headers = { ...attempt.headers } as Config['headers'];
  return httpAdapter(attempt);
}

function received(
  env: SenderEnv,
  response: AxiosResponse,
  context: AttemptContext,
  config: Config,
  whole: AbortController | null,
  secret: boolean,
): Answer {
  if (config.responseType !== 'stream') return new Answer(response, null, null, secret);
  context.headersReceived();
  const stream = guardStream(response.data, {
    clock: env.clock,
    idleMs: context.bodyIdleMs,
    stalled: () => stalled(env.provider, context.bodyIdleMs),
    tearDown: (reason) => whole?.abort(reason),
  });
  if (stream !== null) response.data = stream.data;
  const answer = new Answer(response, stream, null, secret);
  // The attempt was over before its headers came: nobody is there to read it.
  context.onCut(() => answer.discard());
  return answer;
}

interface ErrorLike {
  readonly code?: unknown;
  readonly request?: unknown;
  readonly response?: AxiosResponse;
}

function failed(
  error: unknown,
  kind: Kind,
  outgoing: Outgoing,
  probe: SocketProbe | null,
  secret: boolean,
): AttemptResult {
  const { code, request, response } = (typeof error === 'object' && error !== null ? error : {}) as ErrorLike;
  if (typeof outgoing.adapter === 'function' && response !== undefined && response.status >= 300) {
    return answered(new Answer(response, null, error, secret));
  }
  const text = typeof code === 'string' ? code : null;
  if (probe?.stale) return { type: 'failed', sent: false, error, code: STALE_GRANT };
  if (probe !== null && !probe.requested) return { type: 'failed', sent: false, error, code: null };
  if (probe?.connectTimedOut) return { type: 'failed', sent: false, error, code: 'CONNECT_TIMEOUT' };
  if (kind !== 'other' && response === undefined && isTooLarge(outgoing.config, text)) {
    const head = probe === null ? headOf(request) : probe.response;
    if (head !== null) return answered(tooLarge(head, outgoing, error, secret));
    if (kind === 'fetch') return { type: 'failed', sent: true, error, code: ANSWER_TOO_LARGE };
  }
  if (probe !== null) return { type: 'failed', sent: probe.sent, error, code: text ?? 'ERR_NETWORK' };
  return { type: 'failed', sent: kind === 'other' || !refusedByAxios(text, outgoing.data), error, code: text };
}

/** Axios' own checks run before it sends; of a body that comes in parts only while it is sent. */
function refusedByAxios(code: string | null, data: unknown): boolean {
  const whole = data === undefined || data === null || typeof data === 'string' || Buffer.isBuffer(data);
  return whole && code !== null && /^ERR_(?:BAD_OPTION|BAD_REQUEST|NOT_SUPPORT|INVALID_URL)/.test(code);
}

/** An answer longer than the user's `maxContentLength`: it came, and would come again. */
function isTooLarge({ maxContentLength = -1 }: Config, code: string | null): boolean {
  return maxContentLength > -1 && code === 'ERR_BAD_RESPONSE';
}

interface Head {
  readonly statusCode?: number | undefined;
  readonly headers?: object;
}

/** Axios writes the head of an HTTP/2 answer into its stream. */
function headOf(request: unknown): Head | null {
  const head = request as Head | null | undefined;
  return typeof head?.statusCode === 'number' ? head : null;
}

function tooLarge(head: Head, { caller }: Outgoing, error: unknown, secret: boolean): Answer {
  const status = head.statusCode ?? 0;
  const headers = (head.headers ?? {}) as AxiosResponse['headers'];
  return new Answer({ status, statusText: '', headers, data: undefined, config: caller }, null, error, secret);
}

function stalled(provider: string, idleMs: number): SluiceError {
  return new SluiceError({
    code: 'BODY_TIMEOUT',
    provider,
    message:
      `Provider "${provider}": the answer's stream brought no byte for ${idleMs} ms, or was not read for as long. ` +
      'Read it as it comes, or raise timeouts.bodyIdle of the contract.',
  });
}
