// One process of a run of bench/redis.mjs: keeps so many attempts under way for so long, and tells how many there were.
import { Redis } from 'ioredis';
import { subjects } from './redis-subjects.mjs';

const WARM_MS = 300;

const redis = new Redis(process.argv[2]);
const opened = new Map();

process.on('message', async ({ name, inFlight, forMs }) => {
  if (!opened.has(name)) opened.set(name, await subjects[name](redis, process.argv[2]));
  const { one } = opened.get(name);
  await keepUp(one, inFlight, WARM_MS);
  process.send(await keepUp(one, inFlight, forMs));
});
process.on('disconnect', () => process.exit());
process.send('ready');

async function keepUp(one, inFlight, forMs) {
  const takenMs = [];
  const from = performance.now();
  const onAndOn = async () => {
    for (let before = from; before - from < forMs;) {
      await one();
      const after = performance.now();
      takenMs.push(after - before);
      before = after;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, onAndOn));
  const ms = performance.now() - from;
  takenMs.sort((a, b) => a - b);
  const at = (share) => takenMs[Math.floor(share * (takenMs.length - 1))];
  return { perSecond: (takenMs.length / ms) * 1_000, p50: at(0.5), p99: at(0.99) };
}
