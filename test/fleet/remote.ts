/** Questions and answers between a spec and the processes it starts. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

interface Question {
  readonly id: number;
  readonly verb: string;
  readonly body: unknown;
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** What a process can be asked, by verb: argument and answer are plain data. */
export type Verbs = Readonly<Record<string, (body: never) => unknown>>;

/** In the process: answers what it is asked, until it is let go. */
export function serve(verbs: Verbs): void {
  process.on('message', (question) => void answer(verbs, question as Question));
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

async function answer(verbs: Verbs, { id, verb, body }: Question): Promise<void> {
  try {
    const value = await (verbs[verb] as (body: unknown) => unknown)(body);
    process.send?.({ id, value } satisfies Answer);
  } catch (error) {
    process.send?.({
      id,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    } satisfies Answer);
  }
}

/** In the spec: a process that can be asked `V`. */
export class Remote<V extends Verbs> {
  private ids = 0;
  private readonly open = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (message) => {
      if (typeof message === 'object' && message !== null) this.take(message as Answer);
    });
    child.once('exit', (code, signal) => {
      for (const { reject } of this.open.values()) reject(new Error(`The process ended: ${code ?? signal}`));
      this.open.clear();
    });
  }

  /** Starts a program; resolves once it answers. */
  static async start<V extends Verbs>(program: string, args: readonly string[] = []): Promise<Remote<V>> {
    const child = fork(program, args, {
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const remote = new Remote<V>(child);
    await once(child, 'message');
    return remote;
  }

  ask<K extends keyof V & string>(
    verb: K,
    ...[body]: Parameters<V[K]> extends [] ? [] : [Parameters<V[K]>[0]]
  ): Promise<Awaited<ReturnType<V[K]>>> {
    this.ids += 1;
    const id = this.ids;
    return new Promise((resolve, reject) => {
      this.open.set(id, { resolve: resolve as (value: never) => void, reject });
      this.child.send({ id, verb, body } satisfies Question, (error) => {
        if (error !== null) reject(error);
      });
    });
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }

  private take({ id, value, error }: Answer): void {
    const asked = this.open.get(id);
    this.open.delete(id);
    if (error === undefined) asked?.resolve(value as never);
    else asked?.reject(new Error(error));
  }
}

/** Before others, where the machine lets it: a provider and a store are machines of their own. */
export const AHEAD = -20;
