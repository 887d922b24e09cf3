/** The worker thread: it alone waits for the disk. What arrives while it commits is in its next transaction. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Answer, Envelope, FromWorker, ToWorker, WorkerSettings } from '../protocol.js';
import { type Database, openDatabase } from './database.js';
import { Engine } from './engine.js';
import { migrate } from './migrate.js';
import { MIGRATIONS } from './schema.js';
import { tell } from './tell.js';

/** Commands of one transaction. More wait for the next: nobody's answer waits for all of a flood. */
const MAX_GROUP = 1_024;

const port = parentPort!;
const settings = workerData as WorkerSettings;
const post = (message: FromWorker): void => port.postMessage(message);

function start(): void {
  let database: Database | null = null;
  try {
    database = openDatabase(settings);
    migrate(database, MIGRATIONS);
  } catch (error) {
    database?.close();
    post({ type: 'failed', ...tell(error) });
    port.close();
    return;
  }
  serve(database, new Engine(database, settings));
  post({ type: 'open' });
}

function serve(database: Database, engine: Engine): void {
  port.on('message', (first: ToWorker) => {
    const { commands, closing } = gather(first);
    for (let from = 0; from < commands.length; from += MAX_GROUP) {
      const answers: readonly Answer[] = engine.run(commands.slice(from, from + MAX_GROUP));
      post({ type: 'answers', answers });
    }
    if (!closing) return;
    database.close();
    port.close();
  });
}

/** This message, and all that have come meanwhile. */
function gather(first: ToWorker): { readonly commands: readonly Envelope[]; readonly closing: boolean } {
  const commands: Envelope[] = [];
  for (let message: ToWorker | undefined = first; message !== undefined; message = next()) {
    if (message.type === 'close') return { commands, closing: true };
    commands.push(...message.commands);
    if (commands.length >= MAX_GROUP) break;
  }
  return { commands, closing: false };
}

function next(): ToWorker | undefined {
  return (receiveMessageOnPort(port) as { message: ToWorker } | undefined)?.message;
}

start();
