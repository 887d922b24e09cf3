import { Readable } from 'node:stream';
import type { AxiosAdapter, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { type Clock, sleep } from '../../../core/src/index.js';
import type { BodyPart } from './answer.js';
import { axiosError, canceledError, settled } from './axios-errors.js';
import { rawRequestOf } from './axios-request.js';
import { bodyText } from './body.js';
import type { Ending, Engine } from './engine.js';

export interface TransportOptions {
  /** Time a request takes to the provider, and an answer back. Default: 0. */
  readonly networkMs?: number | (() => number);
}

/** An Axios adapter that reaches the engine without sockets, on the engine's clock. */
export function createTransport(engine: Engine, options: TransportOptions = {}): AxiosAdapter {
  const { clock } = engine;
  const travel = async (signal: AbortSignal): Promise<void> => {
    const { networkMs = 0 } = options;
    const ms = typeof networkMs === 'function' ? networkMs() : networkMs;
    if (ms > 0) await sleep(clock, ms, signal);
  };
  return async (config) => {
    const connection = new AbortController();
    const exchange = async (): Promise<AxiosResponse> => {
      const raw = await rawRequestOf(config);
      await travel(connection.signal);
      const ending = await engine.handle(raw, connection.signal);
      if (ending.type !== 'nothing') await travel(connection.signal);
      return responseOf(ending, config, { method: raw.method, path: raw.target }, clock, connection);
    };
    return untilGivenUp(exchange(), connection, config, clock);
  };
}

/** Ends the exchange when the caller aborts or the config's own time limit is over, as the adapters of Axios do. */
async function untilGivenUp(
  exchange: Promise<AxiosResponse>,
  connection: AbortController,
  config: InternalAxiosRequestConfig,
  clock: Clock,
): Promise<AxiosResponse> {
  const undo: (() => void)[] = [];
  const givenUp = new Promise<never>((_, reject) => {
    const giveUp = (error: unknown): void => {
      reject(error);
      connection.abort();
    };
    const { signal, cancelToken, timeout } = config;
    const onAbort = (): void => giveUp(canceledError(config, undefined));
    if (signal?.aborted) onAbort();
    signal?.addEventListener?.('abort', onAbort);
    undo.push(() => signal?.removeEventListener?.('abort', onAbort));
    const token = cancelToken as unknown as
      { subscribe(fn: (reason: unknown) => void): void; unsubscribe(fn: unknown): void } | undefined;
    token?.subscribe(giveUp);
    undo.push(() => token?.unsubscribe(giveUp));
    if (timeout)
      undo.push(
        clock.schedule(timeout, () =>
          giveUp(axiosError(`timeout of ${timeout}ms exceeded`, 'ECONNABORTED', config, undefined)),
        ),
      );
  });
  exchange.catch(() => undefined);
  try {
    return await Promise.race([givenUp, exchange]);
  } finally {
    for (const fn of undo) fn();
  }
}

async function responseOf(
  ending: Ending,
  config: InternalAxiosRequestConfig,
  request: unknown,
  clock: Clock,
  connection: AbortController,
): Promise<AxiosResponse> {
  if (ending.type === 'nothing') return new Promise(() => undefined);
  if (ending.type === 'reset') throw axiosError('read ECONNRESET', 'ECONNRESET', config, request);
  const { answer } = ending;
  const streams = config.responseType === 'stream';
  const parts = answer.parts ?? [{ afterMs: 0, text: bodyText(answer) }];
  const data = streams
    ? streamOf(parts, config, clock, connection)
    : await collected(parts, config, clock, connection.signal);
  const response = { data, status: answer.status, statusText: '', headers: { ...answer.headers }, config, request };
  return settled(response as AxiosResponse, config);
}

/** As with a real client, an abort after the headers ends the stream. */
function streamOf(
  parts: readonly BodyPart[],
  config: InternalAxiosRequestConfig,
  clock: Clock,
  connection: AbortController,
): Readable {
  const stream = Readable.from(pieces(parts, clock, connection.signal));
  // A stream of a generator is destroyed only when the generator has ended: its silence must not hold that up.
  const { _destroy: destroy } = stream;
  stream._destroy = (error, done) => {
    connection.abort();
    destroy.call(stream, error, done);
  };
  const onAbort = (): void => void stream.destroy(canceledError(config, undefined));
  config.signal?.addEventListener?.('abort', onAbort);
  stream.once('close', () => config.signal?.removeEventListener?.('abort', onAbort));
  return stream;
}

async function* pieces(parts: readonly BodyPart[], clock: Clock, left: AbortSignal): AsyncGenerator<Buffer> {
  for (const { afterMs, text } of parts) {
    if (afterMs > 0) await sleep(clock, afterMs, left);
    yield Buffer.from(text);
  }
}

async function collected(
  parts: readonly BodyPart[],
  config: InternalAxiosRequestConfig,
  clock: Clock,
  left: AbortSignal,
): Promise<string | Buffer> {
  const chunks: Buffer[] = [];
  for await (const piece of pieces(parts, clock, left)) chunks.push(piece);
  const whole = Buffer.concat(chunks);
  return config.responseType === 'arraybuffer' ? whole : whole.toString('utf8');
}
