import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';

/** A real forward proxy on the loopback: plain requests by their absolute URL, TLS by CONNECT. */
export class ProxyServer {
  /** What was asked of it: `GET http://...` or `CONNECT host:port`, and with which credentials. */
  readonly log: { readonly line: string; readonly authorization: string | undefined }[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server = http.createServer((request, response) => this.forward(request, response));

  async start(): Promise<this> {
    this.server.on('connect', (request: IncomingMessage, socket: Socket) => this.tunnel(request, socket));
    this.server.on('connection', (socket) => this.keep(socket));
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private forward(request: IncomingMessage, response: ServerResponse): void {
    const { method, url = '', headers } = request;
    this.note(`${method} ${url}`, headers['proxy-authorization']);
    const onward = http.request(url, { method: method ?? 'GET', headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  }

  private tunnel(request: IncomingMessage, client: Socket): void {
    const { url = '', headers } = request;
    this.note(`CONNECT ${url}`, headers['proxy-authorization']);
    const { hostname, port } = new URL(`tcp://${url}`);
    const onward = net.connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(client).pipe(onward);
    });
    this.keep(onward);
    onward.on('close', () => client.destroy());
    client.on('close', () => onward.destroy());
  }

  private note(line: string, authorization: string | undefined): void {
    this.log.push({ line, authorization });
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
  }
}
