// Builds the invoice run and starts it: `npm run demo`, `npm run demo -- --kill`, `npm run demo -- --naive`.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const USAGE = `npm run demo -- [--speed N] [--kill | --naive] [--help]
  --speed N   how many times as fast time runs, 1 to 50 (default 10)
  --kill      kills the process of the run with SIGKILL five times on the way, and starts it again
  --naive     the same run with axios and axios-retry
exit codes: 0 = every invoice as it should be (always with --naive), 1 = not so, or it failed, 2 = wrong flags`;

// Before the build, which takes longer than reading the answer.
const { values, wrong } = flags();
if (wrong !== null) {
  console.error(`${wrong}\n${USAGE}`);
  process.exit(2);
}
if (values.help === true) {
  console.log(USAGE);
  process.exit(0);
}

const build = spawnSync(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'build', 'invoice-run'], {
  stdio: 'inherit',
});
if (build.status !== 0) process.exit(build.status ?? 1);
const main = 'dist/apps/invoice-run/apps/invoice-run/src/main.js';
const run = spawnSync(process.execPath, ['--enable-source-maps', main, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exit(run.status ?? 1);

function flags() {
  try {
    const { values } = parseArgs({
      options: {
        speed: { type: 'string', default: '10' },
        kill: { type: 'boolean' },
        naive: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
    const speed = Number(values.speed);
    if (!(speed >= 1 && speed <= 50))
      return { values, wrong: `--speed ${values.speed}: a number from 1 to 50 is needed.` };
    const both = values.kill === true && values.naive === true;
    return { values, wrong: both ? '--kill is for the run that keeps its work in a store, not for --naive.' : null };
  } catch (error) {
    return { values: {}, wrong: error.message };
  }
}
