import { type ChildProcess, fork } from 'node:child_process';
import type { RunReport, RunSettings } from './run-app.js';

export interface RunProcess {
  readonly process: ChildProcess;
  readonly ended: Promise<RunEnd>;
}

export interface RunEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** null = it ended before it was through. */
  readonly report: RunReport | null;
}

/** @param program The path of `run.js`, or of another program that reports as it does. */
export function startRun(program: string, settings: RunSettings, execArgv = process.execArgv): RunProcess {
  const child = fork(program, [JSON.stringify(settings)], { execArgv });
  let report: RunReport | null = null;
  child.on('message', (message) => (report = message as RunReport));
  const ended = new Promise<RunEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, report }));
  });
  return { process: child, ended };
}
