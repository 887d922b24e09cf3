// A Redis for the tests: REDIS_URL where it is set, else a server of their own on a free port. Where none is installed it is
// got from Debian's packages, if that may be done; else the run fails and says so: no test is skipped in silence.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';

const READY_WITHIN_MS = 10_000;

const MISSING = `The tests of the shared gate need Redis 7. Either
  - set REDIS_URL to a server whose keys may be written, such as redis://127.0.0.1:6379, or
  - put redis-server on the PATH (Debian, Ubuntu: apt-get install redis-server; macOS: brew install redis).
Those that stop a server need redis-server in any case.`;

/** Path of the program; installs it where that may be done. */
export function findRedisServer() {
  if (has('redis-server')) return 'redis-server';
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const install = ['install', '-y', '--no-install-recommends', 'redis-server'];
    if (spawnSync('apt-get', install, { env, stdio: 'ignore' }).status !== 0) {
      spawnSync('apt-get', ['update'], { env, stdio: 'ignore' });
      spawnSync('apt-get', install, { env, stdio: 'ignore' });
    }
    if (has('redis-server')) return 'redis-server';
  }
  throw new Error(MISSING);
}

function has(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

export async function freePort() {
  const probe = createServer();
  await new Promise((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', resolve);
  });
  const { port } = probe.address();
  await new Promise((resolve) => void probe.close(resolve));
  return port;
}

/** Starts a server that keeps nothing on disk. Resolves once it takes connections. */
export async function startRedis(port, options = []) {
  const fixed = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--daemonize',
    'no',
  ];
  const server = spawn(findRedisServer(), [...fixed, ...options], { stdio: ['ignore', 'pipe', 'ignore'], cwd: '/tmp' });
  await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`redis-server on port ${port} did not start.`)), READY_WITHIN_MS);
    let said = '';
    server.stdout.on('data', (chunk) => {
      said += chunk;
      if (!/Ready to accept connections|MASTER <-> REPLICA sync started|Cluster state changed/.test(said)) return;
      clearTimeout(late);
      server.stdout.destroy();
      server.unref();
      resolve();
    });
    server.once('exit', (code) => {
      clearTimeout(late);
      reject(new Error(`redis-server on port ${port} ended with ${code}: ${said.slice(-500)}`));
    });
  });
  return server;
}

/** Set-up and tear-down may be run from two copies of this module. */
const OWN = Symbol.for('nestjs-sluice tests: redis-server');

/** Before all tests: REDIS_URL is set for them. */
export default async function setup() {
  if (process.env.REDIS_URL) return;
  const port = await freePort();
  const server = await startRedis(port);
  globalThis[OWN] = server;
  process.env.REDIS_URL = `redis://127.0.0.1:${port}`;
  process.on('exit', () => server.kill('SIGKILL'));
}

/** After all tests. */
export async function teardown() {
  globalThis[OWN]?.kill('SIGKILL');
}
