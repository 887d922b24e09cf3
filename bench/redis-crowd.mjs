// 10,000 tickets wait in Redis, of many tenants and two lanes, while what there is is granted; the slow log of Redis is
// the judge, by the clock on the wall: what else runs on the machine counts as the script's own.
import { loadavg } from 'node:os';
import { setTimeout as later } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { defineProvider, SystemClock, tokenBucket } from '../dist/esm/core/src/index.js';
import { ask } from './gate.mjs';
import { openAdmission } from './redis-subjects.mjs';
import { printTable } from './rounds.mjs';

const TICKETS = 10_000;
const PROCESSES = 10;
const FOR_MS = 10_000;
const PER_SECOND = 200;
const BAR_US = 5_000;
const answered = { end: 'answered', health: 'alive', refusal: null, trueUnits: null, seen: [] };

const contract = defineProvider({
  name: 'crowd',
  limits: [tokenBucket({ burst: 10, limit: PER_SECOND, per: '1s' })],
  lanes: { interactive: { reserve: 2 }, background: { guarantee: 0.1 } },
  tenants: {},
  queue: { maxSize: 1_000_000, maxWait: '10m' },
});

export async function crowded(url) {
  const redis = new Redis(url);
  const clock = new SystemClock();
  const admissions = Array.from({ length: PROCESSES }, (_, i) => openAdmission(contract, redis, `crowd-${i}`));
  let granted = 0;
  const deadline = { deadlineMono: clock.monoMs() + 600_000, maxWaitMs: 600_000 };
  for (const [process, admission] of admissions.entries()) {
    for (let i = 0; i < TICKETS / PROCESSES; i += 1) {
      const wanted = ask(clock, { ...deadline, lane: i % 4 === 0 ? 0 : 1, tenant: `t${process}-${i}` });
      // Each tenant calls again as soon as it is served: as many tickets wait all the time.
      const again = async () => {
        const permit = await admission.admit(wanted);
        granted += 1;
        permit.settle(answered);
        await again();
      };
      again().catch(() => undefined);
    }
  }
  await later(FOR_MS);
  const waiting = (await admissions[0].inspect()).gate.tickets;
  await redis.config('RESETSTAT');
  await redis.config('SET', 'slowlog-log-slower-than', String(BAR_US / 10));
  await redis.config('SET', 'slowlog-max-len', '100000');
  await redis.call('SLOWLOG', 'RESET');
  const before = granted;
  await later(FOR_MS);
  const micros = (await redis.call('SLOWLOG', 'GET', '100000')).map(([, , us]) => us).sort((a, b) => a - b);
  const [, calls, usec] = /cmdstat_fcall:calls=(\d+),usec=(\d+)/.exec(await redis.info('commandstats')) ?? [0, 0, 0];
  printTable(
    `(e) scripts while tickets wait (load average ${loadavg()[0].toFixed(1)}; bar: the slowest under ${BAR_US} us)`,
    [
      [
        waiting,
        calls,
        (usec / calls).toFixed(0),
        micros.at(-Math.ceil(calls / 100)) ?? `< ${BAR_US / 10}`,
        micros.at(-1),
        ((granted - before) / (FOR_MS / 1_000)).toFixed(0),
      ].map(String),
    ],
    ['tickets', 'scripts', 'us a script', 'p99 us', 'slowest us', 'granted a second'],
  );
  await Promise.all(admissions.map((admission) => admission.close()));
  redis.disconnect();
}
