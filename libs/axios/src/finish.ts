import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { isSluiceError } from '../../core/src/index.js';
import { type Answer, answerOf } from './answer.js';
import type { ErrorSluice } from './fields.js';
import { configBack, responseBack } from './config-back.js';
import type { OwnErrors } from './own-copy.js';
import type { Outcome } from './shared.js';

type Call = Outcome['call'];

type Config = InternalAxiosRequestConfig;

/** The call's last word as Axios would say it: the response, or a thrown error of the instance's own copy of axios. */
export function finish(
  { end, call }: Outcome,
  config: Config,
  errors: () => Promise<OwnErrors>,
): AxiosResponse | Promise<AxiosResponse> {
  switch (end.decision) {
    case 'deliver':
      return judged(end.result.value as Answer, stop(call, end.reason, end.retryAt), call, config, errors);
    case 'raise': {
      if (end.cancelled) return cancelled(end.error, config, errors);
      const last = answerOf(end.lastAnswer);
      if (last !== null) return judged(last, stop(call, end.reason, end.retryAt), call, config, errors);
      throw marked(end.error, stop(call, end.reason, end.retryAt));
    }
    case 'retry':
      throw new TypeError('A call ended before its last attempt.');
  }
}

function stop(call: Call, reason: ErrorSluice['reason'], retryAt: Date | null): ErrorSluice {
  return { provider: call.provider, reason, attempts: call.attempts, retryAt, operationId: call.operationId };
}

/** The one time that the user's own rule sees the answer. */
function judged(
  answer: Answer,
  why: ErrorSluice,
  call: Call,
  config: Config,
  errors: () => Promise<OwnErrors>,
): AxiosResponse | Promise<AxiosResponse> {
  const { response, error, secret } = answer;
  responseBack(response, config, secret);
  response.sluice = { attempts: call.attempts, waitedMs: call.waitedMs, operationId: call.operationId };
  const { validateStatus } = config;
  const accepted = !response.status || !validateStatus || validateStatus(response.status);
  if (error !== null && !accepted) throw marked(error, why);
  // The provider answered well, with more than the caller takes.
  if (error !== null && response.data === undefined) throw marked(error, { ...why, reason: why.reason ?? 'permanent' });
  return accepted ? response : refused(response, secret, why, config, errors);
}

/** As Axios words it. */
async function refused(
  response: AxiosResponse,
  secret: boolean,
  why: ErrorSluice,
  config: Config,
  errors: () => Promise<OwnErrors>,
): Promise<never> {
  const { AxiosError } = await errors();
  const { status } = response;
  const code = status >= 400 && status < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE';
  const failed = new AxiosError(`Request failed with status code ${status}`, code, config, response.request, response);
  configBack(failed, config, secret);
  throw marked(failed, why);
}

async function cancelled(reason: unknown, config: Config, errors: () => Promise<OwnErrors>): Promise<never> {
  const { CanceledError } = await errors();
  // A reason of Axios' own (a cancel token's) keeps its text.
  const own = reason as { __CANCEL__?: unknown; message?: string } | null | undefined;
  const error = new CanceledError(own?.__CANCEL__ ? own.message : null, config);
  Object.defineProperty(error, 'cause', { value: reason, enumerable: false, writable: true, configurable: true });
  throw error;
}

/** Errors of ours say it in their own fields. */
function marked(error: unknown, why: ErrorSluice): unknown {
  if (typeof error === 'object' && error !== null && !isSluiceError(error)) {
    (error as { sluice?: ErrorSluice }).sluice = why;
  }
  return error;
}
