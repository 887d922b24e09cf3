/** Processes of their own that use a store, for specs that stop and kill them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Job } from './process-program.fixture.js';

export interface Child {
  readonly process: ChildProcess;
  /** What it has said so far, line by line. */
  readonly lines: readonly string[];
  /** Resolves with the next line that begins so, or the first one that did. */
  heard(start: string): Promise<string>;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

const program = fileURLToPath(new URL('./process-program.fixture.ts', import.meta.url));
const hooks = new URL('../../../test/support/typescript.mjs', import.meta.url).href;

/** Starts one; it ends with its job, or by its parent's hand. */
export function startProcess(job: Job): Child {
  const child = spawn(process.execPath, ['--no-warnings', '--import', hooks, program, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const lines: string[] = [];
  const listeners = new Set<() => void>();
  let rest = '';
  const read = (chunk: Buffer): void => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop()!;
    lines.push(...parts);
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  return {
    process: child,
    lines,
    exited,
    heard: (start) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const line = lines.find((said) => said.startsWith(start));
          if (line === undefined) return;
          listeners.delete(look);
          resolve(line);
        };
        listeners.add(look);
        void exited.then(() => reject(new Error(`The process ended before it said "${start}": ${lines.join('\n')}`)));
        look();
      }),
  };
}
