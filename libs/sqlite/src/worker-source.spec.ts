import { spawnSync } from 'node:child_process';
import { WORKER_SOURCE } from './generated/worker-source.js';

test('the text of the thread is what its sources say', () => {
  const check = spawnSync(process.execPath, ['scripts/worker-source.mjs', '--check'], { encoding: 'utf8' });
  expect([check.stderr, check.status]).toEqual(['', 0]);
});

test('it starts in a process that takes texts for modules', () => {
  const program = `
    import { Worker } from 'node:worker_threads';
    const workerData = { path: '/nowhere/at/all.db', driver: 'libsql', driverPath: 'none', busyMs: 1 };
    const worker = new Worker(${JSON.stringify(WORKER_SOURCE)}, { eval: true, workerData });
    worker.on('message', ({ code }) => console.log(code));
    worker.on('error', ({ message }) => console.log(message));`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(run.stdout).toBe('ENOENT\n');
});
