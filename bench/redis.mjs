// (e) The shared gate: attempts a second and latency from one and two processes, beside the least that Redis can do and beside
// other limiters that share a Redis; then the slowest script while 10,000 tickets wait. Redis is one of our own on this machine.
// The others send a command a call, pipelined by the client where many are in flight. Ours sends a step, which carries what
// waits by then and what has ended, one at a time; it is a function of Redis, and the time it takes there is that of FCALL.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { Redis } from 'ioredis';
import { freePort, startRedis } from '../scripts/redis-server.mjs';
import { crowded } from './redis-crowd.mjs';
import { measured, printTable, ratios } from './rounds.mjs';
import { subjects } from './redis-subjects.mjs';

const IN_FLIGHT = [1, 16, 64, 256];
const PROCESSES = [1, 2];
const ROUNDS = 3;
const FOR_MS = 700;
const TRIVIAL = 'EVALSHA of "return 1"';
const GCRA = 'one-bucket GCRA script';
const BOTTLENECK = 'Bottleneck, clustered';

export async function redisBench() {
  const port = await freePort();
  const server = await startRedis(port);
  const url = `redis://127.0.0.1:${port}`;
  const redis = new Redis(url);
  const children = await Promise.all(PROCESSES.map(() => child(url)));
  try {
    for (const processes of PROCESSES) {
      for (const inFlight of IN_FLIGHT) await table(children.slice(0, processes), inFlight, redis);
    }
    await crowded(url);
  } finally {
    for (const one of children) one.disconnect();
    redis.disconnect();
    server.kill('SIGKILL');
  }
}

async function table(children, inFlight, redis) {
  const each = Math.ceil(inFlight / children.length);
  const rows = Object.keys(subjects).map((name) => ({
    name,
    measure: async () => {
      await redis.config('RESETSTAT');
      const runs = await Promise.all(children.map((one) => run(one, { name, inFlight: each, forMs: FOR_MS })));
      return {
        perSecond: runs.reduce((sum, { perSecond }) => sum + perSecond, 0),
        p50: Math.max(...runs.map(({ p50 }) => p50)),
        p99: Math.max(...runs.map(({ p99 }) => p99)),
        scriptUs: await microsPerScript(redis),
      };
    },
  }));
  const taken = await measured(rows, ROUNDS);
  const figure = (reference, key) => ratios(taken, reference, (values) => values[key]);
  const [toGcra, toBottleneck] = [figure(GCRA, 'perSecond'), figure(BOTTLENECK, 'perSecond')];
  const [p50, p99, script] = [figure(TRIVIAL, 'p50'), figure(TRIVIAL, 'p99'), figure(TRIVIAL, 'scriptUs')];
  const load = loadavg()[0].toFixed(1);
  printTable(
    `(e) ${children.length} process${children.length > 1 ? 'es' : ''}, ${inFlight} in flight (load average ${load}; ${bars(inFlight)})`,
    rows.map(({ name }, i) => [
      name,
      toGcra[i].value.toFixed(0),
      toGcra[i].ratio.toFixed(2),
      toBottleneck[i].ratio.toFixed(1),
      p50[i].value.toFixed(3),
      p50[i].ratio.toFixed(2),
      p99[i].value.toFixed(3),
      script[i].value.toFixed(1),
    ]),
    ['subject', 'a second', 'to GCRA', 'to Bottleneck', 'p50 ms', 'to EVALSHA', 'p99 ms', 'us a script'],
  );
}

function bars(inFlight) {
  if (inFlight === 1) return 'bar: p50 at most 2.5 times EVALSHA';
  return inFlight === 64 ? 'bars: 0.9 of GCRA, 20 times Bottleneck' : 'no bar';
}

async function microsPerScript(redis) {
  const stats = await redis.info('commandstats');
  const [, calls, micros] = /cmdstat_(?:evalsha|fcall):calls=(\d+),usec=(\d+)/.exec(stats) ?? [0, 1, 0];
  return micros / calls;
}

async function child(url) {
  const one = fork(new URL('redis-process.mjs', import.meta.url), [url]);
  await once(one, 'message');
  return one;
}

async function run(one, wanted) {
  const told = once(one, 'message');
  one.send(wanted);
  return (await told)[0];
}
