import { Readable, finished } from 'node:stream';
import { type Cancel, type Clock, arm } from '../../core/src/index.js';

/** A streamed body that was handed over at its headers. */
export interface GuardedStream {
  /** What the caller reads. */
  readonly data: unknown;
  /** Resolves when its last byte has come, read or not, or when it failed, was destroyed or stalled; never rejects. */
  readonly rest: Promise<void>;
  /** Ends it unread. */
  discard(reason?: Error): void;
}

interface GuardOptions {
  readonly clock: Clock;
  /** Longest silence; a body that nobody reads is silent too, once its buffers are full. */
  readonly idleMs: number;
  readonly stalled: () => Error;
  /** Ends the request of a web stream: cancelling the stream leaves its connection open. */
  readonly tearDown: (reason: unknown) => void;
}

/** An empty body in the place of one that was thrown away. */
export function emptyStream(data: unknown): unknown {
  return isWebStream(data) ? new ReadableStream({ start: (controller) => controller.close() }) : Readable.from([]);
}

export function guardStream(data: unknown, options: GuardOptions): GuardedStream | null {
  if (data instanceof Readable) return guardNodeStream(data, options);
  return isWebStream(data) ? guardWebStream(data, options) : null;
}

/** The stream itself goes to the caller (it may be Node's response, with all that users read of it): chunks are noticed where they arrive. */
function guardNodeStream(stream: Readable, options: GuardOptions): GuardedStream {
  const idle = new IdleTimer(options, (error) => stream.destroy(error));
  const rest = new Promise<void>((resolve) => {
    const over = (): void => {
      idle.stop();
      resolve();
    };
    const { push } = stream;
    stream.push = function (this: Readable, ...chunk: Parameters<typeof push>): boolean {
      // The provider is done, however late the caller reads the rest.
      if (chunk[0] === null) over();
      else idle.touch();
      return push.apply(this, chunk);
    };
    finished(stream, over);
  });
  // A stream that fails after the caller has let go of it must not end the process.
  stream.on('error', () => undefined);
  return { data: stream, rest, discard: (reason) => void stream.destroy(reason) };
}

function guardWebStream(stream: ReadableStream<unknown>, options: GuardOptions): GuardedStream {
  const reader = stream.getReader();
  let fail: (error: Error) => void = () => undefined;
  let over: () => void = () => undefined;
  const rest = new Promise<void>((resolve) => (over = resolve));
  const idle = new IdleTimer(options, (error) => fail(error));
  const end = (): void => {
    idle.stop();
    over();
  };
  const cancel = (reason: unknown): Promise<void> => {
    const cancelled = reader.cancel(reason);
    options.tearDown(reason);
    return cancelled;
  };
  const data = new ReadableStream<unknown>({
    start(controller) {
      fail = (error) => {
        end();
        controller.error(error);
        cancel(error).catch(() => undefined);
      };
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        idle.touch();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    cancel(reason) {
      end();
      return cancel(reason);
    },
  });
  return { data, rest, discard: (reason) => fail(reason ?? new Error('The body was not wanted.')) };
}

function isWebStream(data: unknown): data is ReadableStream<unknown> {
  return typeof (data as { getReader?: unknown } | null)?.getReader === 'function';
}

/** One timer per silence, not per chunk. */
class IdleTimer {
  private lastMono: number;
  private cancel: Cancel;

  constructor(
    private readonly options: GuardOptions,
    private readonly onStalled: (error: Error) => void,
  ) {
    this.lastMono = options.clock.monoMs();
    this.cancel = this.armFor(options.idleMs);
  }

  touch(): void {
    this.lastMono = this.options.clock.monoMs();
  }

  stop(): void {
    this.cancel();
  }

  private armFor(ms: number): Cancel {
    return arm(this.options.clock, ms, () => {
      const leftMs = this.options.idleMs - (this.options.clock.monoMs() - this.lastMono);
      if (leftMs > 0) this.cancel = this.armFor(leftMs);
      else this.onStalled(this.options.stalled());
    });
  }
}
