import { gateBench } from './gate.mjs';
import { httpBench } from './http.mjs';
import { readingBench } from './reading.mjs';
import { redisBench } from './redis.mjs';
import { storeBench } from './store.mjs';
import { waitersBench } from './waiters.mjs';

const parts = {
  gate: gateBench,
  http: httpBench,
  reading: readingBench,
  redis: redisBench,
  store: storeBench,
  waiters: waitersBench,
};
const wanted = process.argv.slice(2);
for (const [name, run] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await run();
process.exit(0);
