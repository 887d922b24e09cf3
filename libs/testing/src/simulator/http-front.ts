import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../core/src/index.js';
import { bodyText } from './body.js';
import type { Ending, Engine } from './engine.js';
import type { RawRequest } from './request.js';

/** Reaches the engine through a real HTTP server on 127.0.0.1. */
export class HttpFront {
  private readonly server: Server;

  constructor(private readonly engine: Engine) {
    this.server = createServer((request, response) => void this.take(request, response));
  }

  async listen(wanted: number): Promise<string> {
    this.server.listen(wanted, '127.0.0.1');
    await once(this.server, 'listening');
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    this.engine.stop();
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort());
    try {
      const raw = await readRequest(request);
      await send(await this.engine.handle(raw, left.signal), response, this.engine.clock, left.signal);
    } catch (error) {
      if (left.signal.aborted || response.headersSent) return void response.destroy();
      // A handler of the test that throws: shown to the client, so that the test sees it.
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`The simulated provider failed: ${String(error)}`);
    }
  }
}

async function readRequest(request: IncomingMessage): Promise<RawRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return {
    method: request.method ?? 'GET',
    target: request.url ?? '/',
    headers,
    text: Buffer.concat(chunks).toString('utf8'),
  };
}

async function send(ending: Ending, response: ServerResponse, clock: Clock, left: AbortSignal): Promise<void> {
  if (ending.type === 'nothing') return;
  if (ending.type === 'reset') return void response.socket?.resetAndDestroy();
  const { status, headers, parts } = ending.answer;
  if (parts === undefined) {
    const text = bodyText(ending.answer);
    response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(text)) }).end(text);
    return;
  }
  response.writeHead(status, headers).flushHeaders();
  for (const { afterMs, text } of parts) {
    await new Promise<void>((resolve) => void clock.schedule(afterMs, resolve));
    if (left.aborted) return;
    response.write(text);
  }
  response.end();
}
