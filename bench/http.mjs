// (b) Guarded Axios over loopback beside axios + axios-retry, at 16 and 64 in flight. Provider and clients have a process each;
// while one client sends, the others stand still. What counts on a machine that has other work to do is the processor time of
// a request in the client's process; its reciprocal is the ratio, and bounds the requests per second that a core can send.
//
// Several processes of each subject, one set after the other: how an engine compiled a client, and how it collects its garbage,
// differ from process to process by as much as the subjects do.
//
// Both sides have the same settings of Axios, redirects included. axios + axios-retry sends by way of follow-redirects; the
// guarded client sends each hop itself (`maxRedirects: 0` within the attempt) and follows redirects with a permit for each.
// Where no agent is given, as most give none, Axios takes Node's own for all; a guarded instance takes one that leaves the
// keep-alive of its sockets as Axios sets it, which saves system calls with each request. With an agent of the user's it cannot.
//
// Where a guarded request's time goes, by the client's profile at 64 in flight (its nearest caller counts): Node 36 %, Axios and
// what it uses 27, garbage 11, the request made by the socket probe 8, contract and pipeline 6, gate 3, flight 3, headers and
// config of the attempt 3, guard and views 1, timers 1, the read's key 1. On Node 20 each promise costs more as soon as anybody
// uses an AsyncLocalStorage, so what counts most is how many the way of a call takes.
//
// A guarded process is in one of two states: what is in flight at a scavenge dies young, or it grows old first (`--trace-gc`: the
// heap grows by some 1.7 MB from scavenge to scavenge), which the collector takes several times as long for. Those of axios +
// axios-retry were seen in the second only.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { measured, printTable, ratios } from './rounds.mjs';

const SUBJECTS = [
  'axios + axios-retry',
  'axios + axios-retry, an agent of its own',
  'axios',
  'nestjs-sluice',
  'nestjs-sluice, the same agent of its own',
  'nestjs-sluice, no single-flight',
  'HttpService + axios-retry',
  'HttpService, nestjs-sluice',
];
const REFERENCE = SUBJECTS[0];
/** By number, not by time: a slow client is compiled no sooner than a fast one. */
const WARM_UP = 30_000;
const REQUESTS = 1_000;
/** Of each process. */
const ROUNDS = 9;
const PROCESSES = 5;
const IN_FLIGHT = [16, 64];

const start = async (file, args = []) => {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args);
  const [message] = await once(child, 'message');
  return { child, message };
};

async function ask({ child }, requests, inFlight) {
  child.send({ requests, inFlight });
  return (await once(child, 'message'))[0];
}

export async function httpBench() {
  const server = await start('server.mjs');
  const url = `http://127.0.0.1:${server.message.port}`;
  const taken = new Map(IN_FLIGHT.map((inFlight) => [inFlight, new Map(SUBJECTS.map((name) => [name, []]))]));
  try {
    for (let process = 0; process < PROCESSES; process += 1) await oneOfEach(url, taken);
  } finally {
    server.child.kill();
  }
  for (const [inFlight, bySubject] of taken) print(bySubject, inFlight);
}

/** One process of each subject: warmed up, then measured in turns. */
async function oneOfEach(url, taken) {
  const clients = new Map();
  try {
    for (const name of SUBJECTS) clients.set(name, await start('http-client.mjs', [name, url]));
    for (const client of clients.values()) await ask(client, WARM_UP, 64);
    for (const [inFlight, bySubject] of taken) {
      for (const client of clients.values()) await ask(client, REQUESTS, inFlight);
      const subjects = SUBJECTS.map((name) => ({ name, measure: () => ask(clients.get(name), REQUESTS, inFlight) }));
      for (const [name, rounds] of await measured(subjects, ROUNDS)) bySubject.get(name).push(...rounds);
    }
  } finally {
    for (const { child } of clients.values()) child.disconnect();
  }
}

function print(taken, inFlight) {
  const speed = ratios(taken, REFERENCE, ({ perSecond }) => perSecond);
  const cost = ratios(taken, REFERENCE, ({ cpuUs }) => cpuUs);
  printTable(
    `(b) requests over loopback, ${inFlight} in flight (bar: ratio >= 1.00; load average ${loadavg()[0].toFixed(1)})`,
    speed.map(({ name, value, ratio }, index) => {
      const { value: cpuUs, ratio: share } = cost[index];
      return [name, value.toFixed(0), ratio.toFixed(2), cpuUs.toFixed(0), (1 / share).toFixed(2)];
    }),
    ['subject', 'requests/s', 'ratio', 'CPU us a request', 'ratio by CPU'],
  );
}
