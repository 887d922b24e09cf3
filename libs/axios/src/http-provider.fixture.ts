import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** One arrival at the provider: the ground truth of every test. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Tells connections apart. */
  readonly port: number;
}

export type Reply = (request: IncomingMessage, response: ServerResponse) => void;

/** A real HTTP server on the loopback that plays a script; its last reply is repeated. */
export class HttpProvider {
  readonly log: Arrival[] = [];
  readonly sockets = new Set<Socket>();
  connections = 0;
  private script: Reply[] = [];
  private readonly server = http.createServer((request, response) => this.arrive(request, response));

  async start(...script: Reply[]): Promise<this> {
    this.script = script;
    // Connections are kept until somebody ends them, however slow the machine is.
    this.server.keepAliveTimeout = 0;
    this.server.on('connection', (socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get paths(): string[] {
    return this.log.map(({ method, path }) => `${method} ${path}`);
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private arrive(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const { method = '', url = '', headers, socket } = request;
      const body = Buffer.concat(chunks).toString('latin1');
      this.log.push({ method, path: url, headers, body, port: socket.remotePort ?? 0 });
      const reply = this.script[Math.min(this.log.length, this.script.length) - 1];
      reply?.(request, response);
    });
  }
}

/** Answers with a status, a body (objects as JSON) and headers. */
export function status(code: number, body: unknown = { code }, headers: Record<string, string | string[]> = {}): Reply {
  return (_request, response) => {
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const type = typeof body === 'string' || Buffer.isBuffer(body) ? 'text/plain' : 'application/json';
    response.writeHead(code, { 'content-type': type, ...headers });
    response.end(text);
  };
}

export const ok = status(200, { ok: true });
export const hang: Reply = () => undefined;
export const reset: Reply = (request) => void request.socket.resetAndDestroy();

/** Sends its headers and the first part of a body, and then nothing. */
export function stall(first: string, headers: Record<string, string> = {}): Reply {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', ...headers });
    response.write(first);
  };
}
