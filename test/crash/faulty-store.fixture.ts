/** A store whose process dies at one of its commands: before it, after it, or while its transaction is being written. */
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { DurableStore, OperationStore } from 'nestjs-sluice';

/** Commands that write around a send, and whether a reply says that something was written. */
const WRITES = {
  create: (reply) => reply.type === 'created',
  redrive: (reply) => reply.type === 'moved',
  claim: (reply) => reply.claimed.length + reply.moved.length > 0,
  claimUncertain: (reply) => reply.claimed.length + reply.moved.length > 0,
  recover: (reply) => reply.length > 0,
  recordRequest: (reply) => reply.type === 'recorded',
  recordAnswer: (reply) => reply.type === 'recorded',
  settle: (reply) => reply.type === 'settled',
} as const satisfies { [Name in keyof OperationStore]?: (reply: Awaited<ReturnType<OperationStore[Name]>>) => boolean };

type Command = keyof typeof WRITES;

/** One write of a run: the `ordinal`-th (1, 2, 3 ...) of its command that changed something. */
export interface Write {
  readonly command: Command;
  readonly ordinal: number;
}

export interface FaultPoint extends Write {
  readonly kind: 'before' | 'after' | 'torn';
}

/** Commands that mostly find nothing to do: nobody can say beforehand that this one will. */
const ASKS_AGAIN: readonly Command[] = ['claim', 'claimUncertain', 'recover'];

/** All points of a run that made these writes. */
export function pointsOf(writes: readonly Write[]): FaultPoint[] {
  return writes.flatMap((write): FaultPoint[] => [
    ...(ASKS_AGAIN.includes(write.command) ? [] : [{ ...write, kind: 'before' } as const]),
    { ...write, kind: 'torn' },
    { ...write, kind: 'after' },
  ]);
}

/** @param point null = it does not die. @param note Told of each write that happened. */
export function faultyStore(
  path: string,
  store: DurableStore,
  point: FaultPoint | null,
  note: (write: Write) => void,
): DurableStore {
  return {
    ...store,
    async open(context) {
      const inner = await store.open(context);
      const commands = new Commands(path, point, note);
      return new Proxy(inner, {
        get(target, name: keyof OperationStore) {
          const method = target[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
          if (typeof method !== 'function') return method;
          return (...args: unknown[]) => commands.run(name, () => method.apply(target, args));
        },
      });
    },
  };
}

class Commands {
  private readonly counts = new Map<Command, number>();
  private readonly underWay = new Set<Promise<unknown>>();
  /** Holds everything else back while one is run alone. */
  private alone: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly point: FaultPoint | null,
    private readonly note: (write: Write) => void,
  ) {}

  async run(name: keyof OperationStore, ask: () => Promise<unknown>): Promise<unknown> {
    for (let before: Promise<unknown> | null = null; before !== this.alone;) await (before = this.alone);
    if (!isWrite(name)) return this.tracked(ask);
    if (!this.isNext(name)) return this.counted(name, ask);
    switch (this.point?.kind) {
      case 'before':
        return die();
      case 'torn': {
        const running = this.torn(name, ask);
        this.alone = running.catch(() => undefined);
        return running;
      }
      default:
        return this.counted(name, ask);
    }
  }

  private isNext(command: Command): boolean {
    const { point } = this;
    return point?.command === command && point.ordinal === (this.counts.get(command) ?? 0) + 1;
  }

  private async counted(command: Command, ask: () => Promise<unknown>): Promise<unknown> {
    const reply = await this.tracked(ask);
    if (!(WRITES[command] as (reply: unknown) => boolean)(reply)) return reply;
    const isThis = this.isNext(command);
    const ordinal = (this.counts.get(command) ?? 0) + 1;
    this.counts.set(command, ordinal);
    this.note({ command, ordinal });
    if (isThis) {
      if (this.point?.kind === 'torn') copyLog(this.path, 'after');
      return die();
    }
    return reply;
  }

  private async torn(command: Command, ask: () => Promise<unknown>): Promise<unknown> {
    await Promise.allSettled(this.underWay);
    copyLog(this.path, 'before');
    return this.counted(command, ask);
  }

  private tracked(ask: () => Promise<unknown>): Promise<unknown> {
    const running = ask();
    this.underWay.add(running);
    const off = (): void => void this.underWay.delete(running);
    running.then(off, off);
    return running;
  }
}

function isWrite(name: keyof OperationStore): name is Command {
  return name in WRITES;
}

/** Nothing of this process runs after it, no thread either. */
function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}

function copyLog(path: string, when: 'before' | 'after'): void {
  const log = `${path}-wal`;
  if (existsSync(log)) copyFileSync(log, `${path}.${when}`);
  else writeFileSync(`${path}.${when}`, '');
}

/** Leaves the log as it was in the middle of the last transaction: its first bytes are written, the others are as before. */
export function tear(path: string, share: number): void {
  const before = readFileSync(`${path}.before`);
  const after = readFileSync(`${path}.after`);
  const first = after.findIndex((byte, at) => byte !== before[at]);
  if (first === -1) throw new Error('The transaction wrote nothing to the log.');
  const cut = first + Math.floor(share * (after.length - first));
  writeFileSync(`${path}-wal`, Buffer.concat([after.subarray(0, cut), before.subarray(cut)]));
  // Memory that processes shared: there is none any more.
  rmSync(`${path}-shm`, { force: true });
}
