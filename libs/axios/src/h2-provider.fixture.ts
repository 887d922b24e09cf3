import http2, { type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate.fixture.js';

export interface H2Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type H2Reply = (stream: ServerHttp2Stream) => void;

/** A real HTTP/2 server over TLS on the loopback that plays a script; its last reply is repeated. */
export class H2Provider {
  readonly log: H2Arrival[] = [];
  /** Paths of requests that their client reset. */
  readonly reset: string[] = [];
  readonly sessions = new Set<ServerHttp2Session>();
  private readonly server: http2.Http2SecureServer;
  private script: H2Reply[] = [];

  constructor(certificate: Certificate) {
    this.server = http2.createSecureServer({ ...certificate });
    this.server.on('session', (session) => {
      this.sessions.add(session);
      session.on('error', () => undefined);
      session.on('close', () => this.sessions.delete(session));
    });
    this.server.on('stream', (stream, headers) => this.arrive(stream, headers));
  }

  async start(...script: H2Reply[]): Promise<this> {
    this.script = script;
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const session of this.sessions) session.destroy();
    await closed;
  }

  private arrive(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const { ':method': method = '', ':path': path = '' } = headers;
    const chunks: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('aborted', () => this.reset.push(path));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      this.log.push({ method, path, headers, body: Buffer.concat(chunks).toString('latin1') });
      this.script[Math.min(this.log.length, this.script.length) - 1]?.(stream);
    });
  }
}

export function h2Status(code: number, body: unknown = { code }, headers: Record<string, string> = {}): H2Reply {
  return (stream) => {
    stream.respond({ ':status': code, 'content-type': 'application/json', ...headers });
    stream.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}
