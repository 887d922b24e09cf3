import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type {
  AttemptContext,
  AttemptEnd,
  AttemptOptions,
  AttemptResult,
  Call,
  Recordable,
  Safety,
} from '../../core/src/index.js';
import { answerOf } from './answer.js';
import { noticeRedirect, tooManyRedirects } from './before-redirect.js';
import type { OwnErrors } from './own-copy.js';
import { keepAnswer, restoreAnswer } from './kept-answer.js';
import { maxRedirectsOf, type Redirect, redirectOf } from './redirect.js';
import type { BodySource } from './request-body.js';
import { withFields } from './request-body.js';
import { requestView } from './request-view.js';
import type { AdapterChoice } from './attempt-config.js';
import { send, type SenderEnv } from './sender.js';
import { firstBody, type MadeBody, madeBody } from './written-body.js';

type Config = InternalAxiosRequestConfig;

export interface ExchangeEnv extends SenderEnv {
  readonly errors: () => Promise<OwnErrors>;
}

type Answered = Extract<AttemptResult, { type: 'answered' }>;

/** One call's talk with the provider: its request as it stands now, after the redirects followed so far. */
export class Exchange implements AttemptOptions {
  /** How the last attempt ended; null before the first. */
  end: AttemptEnd | null = null;
  /** What ended the resending without being an end of an attempt. */
  thrown: { readonly error: unknown } | null = null;

  hop: AttemptOptions['hop'] = undefined;
  readonly recordable: Recordable | undefined;

  private config: Config;
  private redirects = 0;
  /** The last answer was a redirect, and the request stands as it told. */
  private follows = false;
  private sendsBody = true;
  /** Written down for the next attempt; null = nothing is. */
  private made: MadeBody | null = null;

  constructor(
    private readonly env: ExchangeEnv,
    readonly call: Call,
    readonly caller: Config,
    private readonly adapter: AdapterChoice,
    private readonly body: BodySource,
  ) {
    this.config = caller;
    this.recordable = call.isRecorded ? this.asRecordable() : undefined;
  }

  /** The decision for this very attempt. */
  get wantsRetry(): boolean {
    return this.thrown === null && this.end?.decision === 'retry';
  }

  /** One attempt, and the redirects it leads to. Never rejects. */
  async step(): Promise<void> {
    await this.goOn(await this.attempt());
  }

  /** One attempt. Never rejects. */
  attempt(): Promise<AttemptEnd> {
    const attempt = this.call.attempt(this.sendAttempt, this);
    return this.recordable === undefined ? attempt : attempt.finally(() => this.dropUnsent());
  }

  /** Takes an attempt for the last one so far, and follows the redirects it leads to. Never rejects. */
  async goOn(end: AttemptEnd): Promise<void> {
    this.end = end;
    while (this.follows) {
      this.follows = false;
      this.end = await this.attempt();
    }
    if (this.end.decision === 'retry') answerOf(this.end.result)?.discard();
  }

  /** A redirect that is followed. */
  goesOn(result: Answered): Promise<void> | null {
    if (result.status < 300 || result.status >= 400) return null;
    const limit = maxRedirectsOf(this.caller);
    const answer = answerOf(result);
    if (limit === 0 || answer === null) return null;
    const { response } = answer;
    const redirect = redirectOf(this.config, response, this.safety, this.body.resendable);
    if (redirect === null) return null;
    answer.discard();
    return this.redirected(redirect, response, limit);
  }

  /** Most requests have their body at hand: they take no turn more than Axios itself. */
  private readonly sendAttempt = (context: AttemptContext): Promise<AttemptResult> => {
    if (this.made !== null || context.firstBody) return this.sendWritten(context, this.made);
    if (!this.sendsBody) return this.sendWith(context, undefined);
    try {
      const data = this.body.next();
      if (!isThenable(data)) return this.sendWith(context, data);
      return data.then((made) => this.sendWith(context, made)).catch(unsendable);
    } catch (error) {
      return Promise.resolve(unsendable(error));
    }
  };

  /** What was written down: again where the grant came too late, but a stream is made anew for that. */
  private sendWritten(context: AttemptContext, made: MadeBody | null): Promise<AttemptResult> {
    const { caller, config, adapter } = this;
    if (made?.written.bytes === null) this.made = null;
    const { data, headers } = context.firstBody
      ? firstBody(context.firstBody, config.headers.has('Content-Length'))
      : (made as MadeBody);
    return send(this.env, { caller, config, adapter, data, bodyHeaders: headers }, context);
  }

  /** A stream that a factory made, and that nobody will read, holds no file open. */
  private dropUnsent(): void {
    const { made } = this;
    if (made === null || made.written.bytes !== null) return;
    this.made = null;
    if (this.caller.sluice?.body !== undefined) (made.data as { destroy?: () => void }).destroy?.();
  }

  private asRecordable(): Recordable {
    const { provider } = this.env;
    return {
      body: async (fields) => {
        const body = this.sendsBody ? withFields(provider, await this.body.next(), fields) : undefined;
        const contentType = this.config.headers.get('Content-Type');
        const said = typeof contentType === 'string' ? contentType : null;
        this.made = await madeBody(body, this.sendsBody ? this.body.headers : null, said);
        return this.made.written;
      },
      keep: (answer) => keepAnswer(provider, answer),
      restore: (status, kept) => restoreAnswer(this.config, status, kept),
    };
  }

  /** @throws SluiceError CONFIG when a field of ours has no place in the body. */
  private sendWith(context: AttemptContext, body: unknown): Promise<AttemptResult> {
    const { caller, config, adapter } = this;
    const data = this.sendsBody ? withFields(this.env.provider, body, context.bodyFields) : undefined;
    const bodyHeaders = this.sendsBody ? this.body.headers : null;
    return send(this.env, { caller, config, adapter, data, bodyHeaders }, context);
  }

  /** As for the request that stands now: away from the provider's own origin nobody knows the key. */
  private get safety(): Safety {
    const { safety } = this.call;
    return safety === 'keyed' && this.hop?.sameOrigin === false ? 'unkeyed' : safety;
  }

  private async redirected(redirect: Redirect, response: AxiosResponse, limit: number): Promise<void> {
    this.redirects += 1;
    if (this.redirects > limit) throw await tooManyRedirects(this.env.errors, this.caller, response.request);
    const sameOrigin = redirect.sameOrigin && (this.hop?.sameOrigin ?? true);
    this.config = await noticeRedirect(this.env.errors, this.caller, this.config, redirect.config, response);
    this.sendsBody &&= redirect.keepsBody;
    this.made = null;
    this.hop = { request: requestView(this.config), sameOrigin };
    this.follows = true;
  }
}

/** Whether nothing follows it: neither a retry nor a redirect. */
export function isLast(end: AttemptEnd): boolean {
  return end.decision !== 'retry';
}

function isThenable(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/** The request's own fault: nothing was sent, nor would be the next time. */
function unsendable(error: unknown): AttemptResult {
  return { type: 'failed', sent: false, error, code: null };
}
