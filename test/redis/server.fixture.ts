/** Redis servers of a spec's own: to be stopped, frozen and lied about without disturbing anybody. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as later } from 'node:timers/promises';
import { freePort, startRedis } from '../../scripts/redis-server.mjs';

export class OwnRedis {
  private server: ChildProcess | null = null;

  private constructor(
    readonly port: number,
    private readonly options: readonly string[],
  ) {}

  static async start(options: readonly string[] = []): Promise<OwnRedis> {
    const redis = new OwnRedis(await freePort(), options);
    await redis.start();
    return redis;
  }

  /** On the same port; with nothing in it. */
  async start(): Promise<void> {
    this.server = await startRedis(this.port, this.options);
  }

  async kill(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (server === null || server.exitCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  }

  freeze(): void {
    this.server?.kill('SIGSTOP');
  }

  thaw(): void {
    this.server?.kill('SIGCONT');
  }
}

/** Between a client and Redis: passes everything on, until it is told otherwise. */
export class Proxy {
  private readonly sockets = new Set<Socket>();
  private cuts = 0;
  /** Replies are swallowed. */
  deaf = false;
  /** Requests of a script that went through. */
  scripts = 0;
  /** Answers every script with this error instead of passing it on; null = passes it on. */
  refusal: string | null = null;
  /** Redis has no functions: it is one that only speaks like it, or its user may not load any. */
  withoutFunctions: string | null = null;
  /** Requests that were answered so. */
  refused = 0;

  private constructor(
    private readonly server: Server,
    private target: number,
  ) {}

  /** @param delayMs a connection stands so long before anything goes through it */
  static async to(target: number, delayMs = 0): Promise<Proxy> {
    const server = createServer();
    const proxy = new Proxy(server, target);
    server.on('connection', (socket) => void later(delayMs).then(() => proxy.serve(socket)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The next so many replies to scripts are lost with their connection: Redis has done what they tell of. */
  cutReplies(count: number): void {
    this.cuts = count;
  }

  /** Breaks all connections. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** What stands behind the address is another server from now on. */
  redirect(target: number): void {
    this.target = target;
    this.cut();
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(client: Socket): void {
    const redis = connect(this.target, '127.0.0.1');
    let awaited = false;
    for (const socket of [client, redis]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        client.destroy();
        redis.destroy();
      });
    }
    client.on('data', (chunk: Buffer) => {
      if (this.withoutFunctions !== null && /FCALL/.test(chunk.toString('latin1'))) {
        client.write(`-${this.withoutFunctions}\r\n`);
        return;
      }
      if (/EVALSHA|EVAL\r|FCALL/i.test(chunk.toString('latin1'))) {
        if (this.refusal !== null) {
          this.refused += 1;
          client.write(`-${this.refusal}\r\n`);
          return;
        }
        this.scripts += 1;
        awaited = true;
      }
      redis.write(chunk);
    });
    redis.on('data', (chunk: Buffer) => {
      if (awaited && this.cuts > 0) {
        this.cuts -= 1;
        client.destroy();
        return;
      }
      awaited = false;
      if (!this.deaf) client.write(chunk);
    });
  }
}
