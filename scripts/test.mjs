// Runs Jest in ESM mode. Without a selection of projects: the unit and wide specs. The long runs, those that measure real
// time and the mutants have scripts of their own.
import { spawnSync } from 'node:child_process';

const args = process.argv.slice(2);
const selected = args.includes('--selectProjects');

// Most specs wait for a disk or a socket: every core has one.
const workers = args.includes('--runInBand') ? [] : ['--maxWorkers=100%'];
const jestArgs = [...workers, ...(selected ? args : ['--selectProjects', 'unit', 'wide', ...args])];
const options = process.env.NODE_OPTIONS ?? '';
const run = spawnSync(process.execPath, ['node_modules/jest/bin/jest.js', ...jestArgs], {
  stdio: 'inherit',
  env: {
    ...process.env,
    NODE_OPTIONS: `${options} --experimental-vm-modules --no-warnings=ExperimentalWarning`.trim(),
  },
});
process.exit(run.status ?? 1);
