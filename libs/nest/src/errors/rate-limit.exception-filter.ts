import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Injectable, Optional } from '@nestjs/common';
import { throwError } from 'rxjs';
import { isSluiceError, type SluiceError, SystemClock } from '../../../core/src/index.js';
import { SLUICE_APPLICATION } from '../rate-limit.constants.js';
import type { SluiceApplication } from '../sluice-application.js';
import {
  answerToClient,
  type ClientAnswer,
  type GuardedAxiosError,
  isGuardedAxiosError,
  retryAfterSeconds,
} from './http-answer.js';

/** Everything the filter is for, by brand and not by class: an error of the package's other build is one too. */
abstract class GuardedFailure {
  static [Symbol.hasInstance](value: unknown): boolean {
    return isSluiceError(value) || isGuardedAxiosError(value);
  }
}

/** The methods that Express's and Fastify's responses share. */
interface HttpResponse {
  readonly headersSent?: boolean;
  readonly sent?: boolean;
  status(code: number): this;
  header(name: string, value: string): this;
  send(body: unknown): unknown;
}

/** Tells clients of the application what failed and when to come back: over HTTP, GraphQL and microservices. */
@Injectable()
@Catch(GuardedFailure)
export class RateLimitExceptionFilter implements ExceptionFilter<SluiceError | GuardedAxiosError> {
  private readonly clock;

  constructor(@Optional() @Inject(SLUICE_APPLICATION) application?: SluiceApplication) {
    this.clock = application?.clock ?? new SystemClock();
  }

  catch(error: SluiceError | GuardedAxiosError, host: ArgumentsHost): unknown {
    const answer = answerToClient(error, this.clock.wallMs());
    switch (host.getType<string>()) {
      case 'http':
        return send(host.switchToHttp().getResponse<HttpResponse>(), answer);
      case 'graphql':
        return Object.assign(new Error(answer.message), { extensions: extensionsOf(answer) });
      default:
        return throwError(() => ({ status: 'error', message: answer.message, ...extensionsOf(answer) }));
    }
  }
}

function send(response: HttpResponse, answer: ClientAnswer): void {
  if (response.headersSent === true || response.sent === true) return;
  const seconds = retryAfterSeconds(answer);
  if (seconds !== null) response.header('Retry-After', String(seconds));
  response.status(answer.status).send({ statusCode: answer.status, message: answer.message, ...extensionsOf(answer) });
}

function extensionsOf({ code, provider, retryAfterMs, operationId }: ClientAnswer): Record<string, unknown> {
  return { code, provider, retryAfterMs, operationId };
}
