/** The main thread's end: sends commands to the worker and hands its answers to those who wait. */
// No time is in it: the loop turns once.
import { setImmediate } from 'node:timers';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../core/src/index.js';
import { WORKER_SOURCE } from './generated/worker-source.js';
import type { Answer, CommandName, Commands, Envelope, FromWorker, ToWorker, WorkerSettings } from './protocol.js';
import { SqliteStoreError } from './store-error.js';

/** How long answers are handed over before the loop turns, in ms; and how many between two looks at the clock. */
const TURN_MS = 2;
const ANSWERS_PER_LOOK = 4;

interface Waiting {
  readonly name: CommandName;
  resolve(reply: unknown): void;
  reject(error: Error): void;
}

export class Channel {
  private readonly waiting = new Map<number, Waiting>();
  private outbox: Envelope[] = [];
  /** Messages whose answers are not all handed over; of the first so many are. */
  private readonly inbox: (readonly Answer[])[] = [];
  private handed = 0;
  /** What is asked meanwhile goes when this turn of the loop ends. */
  private isHanding = false;
  private lastId = 0;
  private ended: SqliteStoreError | null = null;
  private readonly exited: Promise<void>;

  private constructor(
    private readonly worker: Worker,
    private readonly path: string,
    private readonly clock: Clock,
  ) {
    this.exited = new Promise((resolve) => worker.once('exit', () => resolve()));
    worker.on('message', (message: FromWorker) => this.receive(message));
    worker.on('error', (error) => this.end(`its thread failed (${error.message})`));
    worker.on('exit', () => this.end('its thread has ended'));
    worker.unref();
  }

  /** Resolves when the file is open and its schema up to date. */
  static async open(settings: WorkerSettings, clock: Clock): Promise<Channel> {
    const { path } = settings;
    const worker = new Worker(WORKER_SOURCE, { eval: true, workerData: settings, name: 'sluice-sqlite' });
    const failed = (why: string, code: string | null): SqliteStoreError =>
      new SqliteStoreError(`The store ${path} cannot be opened: ${why}`, code);
    const first = await new Promise<FromWorker>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', (error) => reject(failed(error.message, 'WORKER_ENDED')));
      worker.once('exit', () => reject(failed('its thread has ended.', 'WORKER_ENDED')));
    });
    if (first.type === 'failed') throw failed(first.message, first.code);
    return new Channel(worker, path, clock);
  }

  call<Name extends CommandName>(name: Name, input: Commands[Name]['input']): Promise<Commands[Name]['reply']> {
    if (this.ended !== null) return Promise.reject(this.ended);
    this.lastId += 1;
    const id = this.lastId;
    const reply = new Promise<Commands[Name]['reply']>((resolve, reject) => {
      this.waiting.set(id, { name, resolve: resolve as (reply: unknown) => void, reject });
    });
    // While somebody waits for an answer the process stays.
    if (this.waiting.size === 1) this.worker.ref();
    // What is asked in one turn of the loop goes as one message.
    if (this.outbox.length === 0 && !this.isHanding) process.nextTick(() => this.send());
    this.outbox.push({ id, name, nowMs: Math.floor(this.clock.wallMs()), input });
    return reply;
  }

  async close(): Promise<void> {
    if (this.ended === null) {
      this.send();
      this.ended = new SqliteStoreError(`The store ${this.path} is closed.`, 'CLOSED');
      this.worker.ref();
      this.post({ type: 'close' });
    }
    await this.exited;
  }

  private send(): void {
    if (this.outbox.length === 0) return;
    const commands = this.outbox;
    this.outbox = [];
    this.post({ type: 'commands', commands });
  }

  private post(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  private receive(message: FromWorker): void {
    if (message.type !== 'answers') return;
    this.inbox.push(message.answers);
    if (!this.isHanding) this.handOver(this.clock.monoMs() + TURN_MS);
  }

  /** One transaction may answer a thousand callers: what they do then is theirs, and the loop turns in between. */
  private handOver(untilMs: number): void {
    this.isHanding = true;
    this.answer(this.nextAnswers());
    // After that what was answered has gone on.
    process.nextTick(() => {
      const isMore = this.inbox.length > 0;
      if (isMore && this.clock.monoMs() < untilMs) return this.handOver(untilMs);
      this.isHanding = isMore;
      this.send();
      if (isMore) setImmediate(() => this.handOver(this.clock.monoMs() + TURN_MS));
    });
  }

  private nextAnswers(): readonly Answer[] {
    const [first = []] = this.inbox;
    const answers = first.slice(this.handed, this.handed + ANSWERS_PER_LOOK);
    this.handed += answers.length;
    if (this.handed === first.length) {
      this.inbox.shift();
      this.handed = 0;
    }
    return answers;
  }

  private answer(answers: readonly Answer[]): void {
    for (const answer of answers) {
      const waiting = this.waiting.get(answer.id);
      if (waiting === undefined) continue;
      this.waiting.delete(answer.id);
      if (answer.ok) waiting.resolve(answer.reply);
      else {
        const text = `The store ${this.path} did not run "${waiting.name}", and nothing of it happened: ${answer.message}`;
        waiting.reject(new SqliteStoreError(text, answer.code));
      }
    }
    if (this.waiting.size === 0 && this.ended === null) this.worker.unref();
  }

  private end(why: string): void {
    const text = `The store ${this.path} is gone: ${why}. What was asked and not answered has happened or has not; opened again, the store knows.`;
    const error = new SqliteStoreError(text, 'WORKER_ENDED');
    this.ended ??= error;
    while (this.inbox.length > 0) this.answer(this.nextAnswers());
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
    this.outbox = [];
  }
}
