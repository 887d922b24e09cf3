// One client of the HTTP bench, alone in its process: what the engine has learnt of one subject never helps or hurts another.
// Arguments: the subject's name, the provider's URL. Each message asks for so many requests at so many in flight.
import { AsyncLocalStorage } from 'node:async_hooks';
import http from 'node:http';
import { HttpService } from '@nestjs/axios';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import { firstValueFrom } from 'rxjs';
import { attachAxios } from '../dist/esm/axios/src/index.js';
import {
  concurrency,
  createProviderRuntime,
  defineProvider,
  EventHub,
  memoryGate,
  SystemClock,
  systemRandom,
  tokenBucket,
} from '../dist/esm/core/src/index.js';

const [name, url] = process.argv.slice(2);

const bare = (settings) => axios.create({ baseURL: url, ...settings });
/** Where nothing is said Axios takes Node's agent for all, and a guarded instance one of its own. */
const ownAgent = () => ({ httpAgent: new http.Agent({ keepAlive: true }) });

function retrying(settings) {
  const instance = bare(settings);
  axiosRetry(instance);
  return instance;
}

function guarded(demand, settings) {
  const instance = bare(settings);
  const contract = defineProvider({
    name: 'bench',
    limits: [tokenBucket({ burst: 1_000_000, limit: 1_000_000, per: '1s' }), concurrency({ limit: 1_000 })],
    breaker: { consecutiveFailures: 5 },
    demand,
  });
  const clock = new SystemClock();
  const deps = { clock, random: systemRandom, gate: memoryGate(), events: new EventHub(), processId: 'bench' };
  attachAxios(instance, createProviderRuntime(contract, deps), { axios, clock, random: systemRandom });
  return instance;
}

const plain = (instance) => (path) => instance.get(path);

function nest(instance) {
  const service = new HttpService(instance);
  return (path) => firstValueFrom(service.get(path));
}

// An inbound request of a Nest application has an async context: that of tracing, of nestjs-cls, or of the module.
const inbound = new AsyncLocalStorage();

const subjects = {
  'axios + axios-retry': () => plain(retrying()),
  'axios + axios-retry, an agent of its own': () => plain(retrying(ownAgent())),
  axios: () => plain(bare()),
  'nestjs-sluice': () => plain(guarded({})),
  'nestjs-sluice, the same agent of its own': () => plain(guarded({}, ownAgent())),
  'nestjs-sluice, no single-flight': () => plain(guarded({ singleFlight: false })),
  'HttpService + axios-retry': () => nest(retrying()),
  'HttpService, nestjs-sluice': () => nest(guarded({})),
};
const get = subjects[name]();

let serial = 0;

async function run(requests, inFlight) {
  let left = requests;
  const one = async () => {
    // Each its own, so that no read is shared: every one of them is a request.
    while (left-- > 0) await get(`/item?n=${(serial += 1)}`);
  };
  const cpu = process.cpuUsage();
  const start = performance.now();
  await Promise.all(Array.from({ length: inFlight }, () => inbound.run({}, one)));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: requests / seconds, cpuUs: (user + system) / requests };
}

process.on('message', async ({ requests, inFlight }) => process.send(await run(requests, inFlight)));
process.on('disconnect', () => process.exit(0));
process.send('ready');
