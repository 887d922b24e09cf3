import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { Observable } from 'rxjs';
import { currentContext, runInContext } from '../../../core/src/index.js';
import { SLUICE_APPLICATION } from '../rate-limit.constants.js';
import type { SluiceApplication } from '../sluice-application.js';
import { LazyInboundContext } from './inbound-context.js';
import { requestOf } from './request-of.js';

/** Opens the inbound context for transports that no HTTP middleware meets: microservices, WebSockets, GraphQL subscriptions. */
@Injectable()
export class RateLimitInterceptor implements NestInterceptor {
  constructor(@Inject(SLUICE_APPLICATION) private readonly application: SluiceApplication) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (currentContext().inbound !== null) return next.handle();
    const inbound = new LazyInboundContext(this.application, { request: requestOf(execution), execution });
    return new Observable((subscriber) =>
      runInContext({ inbound, method: null }, () => next.handle().subscribe(subscriber)),
    );
  }
}
