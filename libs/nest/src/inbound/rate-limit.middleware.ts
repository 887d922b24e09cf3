import { Inject, Injectable, type NestMiddleware } from '@nestjs/common';
import type { InboundRequest } from '../interfaces/inbound-request.interface.js';
import { SLUICE_APPLICATION } from '../rate-limit.constants.js';
import type { SluiceApplication } from '../sluice-application.js';
import { openInbound } from './open-inbound.js';

/**
 * Opens the inbound context. The module does so by itself for every route of Nest; this class is for requests that reach
 * guarded methods by other roads, such as a handler mounted on the server directly.
 */
@Injectable()
export class RateLimitMiddleware implements NestMiddleware {
  constructor(@Inject(SLUICE_APPLICATION) private readonly application: SluiceApplication) {}

  use(request: InboundRequest, response: Parameters<typeof openInbound>[2], next: () => void): void {
    openInbound(this.application, request, response, next);
  }
}
