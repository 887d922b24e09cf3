// Runs Jest in ESM mode. Without a selection of projects: the unit and wide specs, then alone on the machine those that
// measure real time. The long runs and the mutants have scripts of their own.
import { spawnSync } from 'node:child_process';

const args = process.argv.slice(2);
const selected = args.includes('--selectProjects');
const narrowed = selected || args.includes('--');

// Most specs wait for a disk or a socket: every core has one.
const workers = args.includes('--runInBand') ? [] : ['--maxWorkers=100%'];
const first = jest([...workers, ...(selected ? args : ['--selectProjects', 'unit', 'wide', ...args])]);
const second = narrowed ? 0 : jest(['--selectProjects', 'realtime', '--runInBand']);
process.exit(first || second);

function jest(jestArgs) {
  const options = process.env.NODE_OPTIONS ?? '';
  const run = spawnSync(process.execPath, ['node_modules/jest/bin/jest.js', ...jestArgs], {
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_OPTIONS: `${options} --experimental-vm-modules --no-warnings=ExperimentalWarning`.trim(),
    },
  });
  return run.status ?? 1;
}
