import type { HttpServer } from '@nestjs/common';
import { currentContext, runInContext } from '../../../core/src/index.js';
import type { InboundRequest } from '../interfaces/inbound-request.interface.js';
import type { SluiceApplication } from '../sluice-application.js';
import { LazyInboundContext } from './inbound-context.js';

/** The part of a Node response that tells whether the client went away. */
interface RawResponse {
  readonly closed: boolean;
  readonly writableFinished: boolean;
  once(event: 'close', listener: () => void): unknown;
}

interface FastifyInstance {
  addHook(
    name: 'preHandler',
    hook: (request: InboundRequest, reply: { readonly raw: RawResponse }, done: () => void) => void,
  ): unknown;
}

/**
 * Opens the inbound context around every route that is registered later. On Express by a middleware; on Fastify by a hook
 * after the body was read, for reading it loses the async context, and there the request is the one that guards see.
 */
export function openInboundFor(httpAdapter: HttpServer, application: SluiceApplication): void {
  if (httpAdapter.getType() === 'fastify') {
    (httpAdapter.getInstance() as FastifyInstance).addHook('preHandler', (request, reply, done) =>
      openInbound(application, request, reply.raw, done),
    );
    return;
  }
  httpAdapter.use((request: InboundRequest, response: RawResponse, next: () => void) =>
    openInbound(application, request, response, next),
  );
}

/** Runs `next`, and all the request's work with it, in a context of its own; in the one that is open, if there is one. */
export function openInbound(
  application: SluiceApplication,
  request: InboundRequest,
  response: RawResponse,
  next: () => void,
): void {
  if (currentContext().inbound !== null) return next();
  const gone = new AbortController();
  const onClose = (): void => {
    if (!response.writableFinished) gone.abort();
  };
  // What ran before us may have taken long enough for the client to leave.
  if (response.closed) onClose();
  else response.once('close', onClose);
  const inbound = new LazyInboundContext(application, { request, disconnected: gone.signal });
  runInContext({ inbound, method: null }, next);
}
