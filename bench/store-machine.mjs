// What the machine does: how long its disk takes to sync, and how long a thread's event loop stands still.
import { closeSync, fdatasyncSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { median } from './rounds.mjs';

/** As much as a commit of the store writes. */
const SYNCED = Buffer.alloc(64 * 1_024, 1);

/** How long each of `times` syncs of a file in the folder takes, in ms, sorted. */
export function syncs(folder, times) {
  const path = join(folder, 'synced');
  const file = openSync(path, 'w');
  try {
    const taken = Array.from({ length: times }, (_, at) => {
      writeSync(file, SYNCED, 0, SYNCED.length, at * SYNCED.length);
      const started = performance.now();
      fdatasyncSync(file);
      return performance.now() - started;
    });
    return taken.sort((a, b) => a - b);
  } finally {
    closeSync(file);
    unlinkSync(path);
  }
}

export const medianSyncMs = (folder) => median(syncs(folder, 50));

export const load = () => loadavg()[0];

/**
 * Watches this thread's event loop. `blockedMs` and `p99Ms`: how late a timer of 1 ms was. `ranMs`: the longest that the
 * thread itself ran between two of them, what other processes took off it not counted; null where the system does not tell.
 */
export function watchLoop() {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let longestMs = 0;
  let lastMs = ranMs();
  const timer = setInterval(() => {
    const nowMs = ranMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
  }, 1);
  delay.enable();
  return () => {
    delay.disable();
    clearInterval(timer);
    const ran = Number.isNaN(lastMs) ? null : longestMs;
    return { blockedMs: delay.max / 1e6, p99Ms: delay.percentile(99) / 1e6, ranMs: ran };
  };
}

/** CPU time of the main thread so far; Linux alone tells it of one thread. */
function ranMs() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return NaN;
  }
}
