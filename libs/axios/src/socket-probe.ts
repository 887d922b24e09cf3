import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { type AttemptContext, type Cancel, type Clock, arm } from '../../core/src/index.js';

/** What Axios asks of a `transport`. */
export interface Transport {
  request(options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest;
}

/**
 * Axios' `transport` for one attempt: Node's own, or the user's, with an eye on the connection. "Not sent" needs positive
 * evidence: no request was made, or its connection (lookup, connect, TLS) never came up. On a socket used before nothing
 * can be told apart, so it counts as sent.
 *
 * A class, not a literal: Axios clones plain objects when it merges a config.
 */
export class SocketProbe implements Transport {
  /** Whether Axios came as far as making a request: what failed before is the request's own fault. */
  requested = false;
  connected = false;
  connectTimedOut = false;
  /** The grant was stale when a socket was there: not a byte was sent. */
  stale = false;
  response: IncomingMessage | null = null;
  private cancelTimer: Cancel | null = null;
  private made: ClientRequest | null = null;
  private cut: Error | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly context: AttemptContext,
    private readonly transport: Transport | null,
  ) {}

  get sent(): boolean {
    return this.requested && this.connected;
  }

  request(options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest {
    const secure = options.protocol === 'https:';
    // Node keeps the options with a socket for as long as it lives; these hold all of the request, for follow-redirects alone.
    if (this.transport === null) (options as { beforeRedirects?: unknown }).beforeRedirects = undefined;
    const request = (this.transport ?? (secure ? https : http)).request(options, (response) => {
      this.onConnected();
      this.response = response;
      onResponse(response);
    });
    capBody(request, (options as { maxBodyLength?: number }).maxBodyLength);
    this.requested = true;
    this.made = request;
    if (this.cut !== null) request.destroy(this.cut);
    // The socket comes in a later tick, with all that ran between: the last moment at which nothing has left.
    request.on('socket', () => this.lastLook(request));
    // The agent says so at once; most attempts end here and pay for neither timer nor listener.
    if (request.reusedSocket) this.connected = true;
    else this.watch(request, secure);
    return request;
  }

  /** Tears the request down, or the one that is still to be made. */
  abort(reason: unknown): void {
    this.cut = reason instanceof Error ? reason : new Error('The attempt was ended.', { cause: reason });
    this.made?.destroy(this.cut);
  }

  private watch(request: ClientRequest, secure: boolean): void {
    this.cancelTimer = arm(this.clock, this.context.connectMs, () => {
      this.connectTimedOut = true;
      request.destroy(new Error('The connection did not come up in time.'));
    });
    request.once('close', () => this.stopTimer());
    request.once('socket', (socket: Socket) => {
      // Destroyed before the request was given to it: it never carried a byte of it.
      if (socket.destroyed) return;
      // An agent may hand over a socket that is up already, or something that is no socket of Node's.
      if (request.reusedSocket || !socket.connecting) return this.onConnected();
      socket.once(secure ? 'secureConnect' : 'connect', () => this.onConnected());
    });
  }

  private lastLook(request: ClientRequest): void {
    if (request.destroyed || !this.context.stale()) return;
    this.stale = true;
    request.destroy(new Error('The process stood still after the grant.'));
  }

  private onConnected(): void {
    this.connected = true;
    this.stopTimer();
  }

  private stopTimer(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
  }
}

/**
 * Older versions of Axios leave it to follow-redirects, in whose place a probe stands, to cap a body that comes in parts. The error is that
 * of follow-redirects.
 */
function capBody(request: ClientRequest, maxBytes = Infinity): void {
  if (maxBytes === Infinity) return;
  const { write } = request;
  let bytes = 0;
  request.write = function (this: ClientRequest, ...args: unknown[]): boolean {
    bytes += Buffer.byteLength(args[0] as string | Uint8Array);
    if (bytes <= maxBytes) return write.apply(this, args as Parameters<typeof write>);
    const code = 'ERR_FR_MAX_BODY_LENGTH_EXCEEDED';
    request.destroy(Object.assign(new Error('Request body larger than maxBodyLength limit'), { code }));
    return false;
  };
}
