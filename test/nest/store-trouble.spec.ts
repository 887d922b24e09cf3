import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { ProviderSimulator, slow } from 'nestjs-sluice/testing';
import { openRaw } from '../../libs/sqlite/src/store.fixture.js';
import { type Compiled, compileSources } from '../support/compiled.js';
import type { Trouble } from './store-trouble.fixture.js';

// Each process takes about a second to start, several on a busy machine.
jest.setTimeout(120_000);

const PROGRAM = 'test/nest/store-trouble.fixture.ts';
const SAID_BY = 'test/support/say.ts';
/** No file may grow over so many kilobytes; SQLite is told so, in place of a signal. */
const FULL_AT = 2_000;

let compiled: Compiled;
let folder: string;
let provider: ProviderSimulator;

beforeAll(async () => {
  compiled = await compileSources([PROGRAM, SAID_BY]);
});
afterAll(() => compiled.remove());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-trouble-'));
  provider = new ProviderSimulator({
    routes: {
      'POST /payments/:id': (_, { params }) => ({ status: 201, body: { id: params['id'] } }),
      'GET /payments/:id': ({ path }) => (provider.effects.some((effect) => effect.path === path) ? 200 : 404),
    },
  });
  await provider.start();
});
afterEach(async () => {
  await provider.stop();
  await rm(folder, { recursive: true, force: true });
});

const path = (): string => join(folder, 'operations.db');

interface Run {
  readonly child: ChildProcess;
  /** What its callers were told, and its last word. */
  readonly said: Promise<readonly string[]>;
}

/** @param before What a shell is told before it becomes the process. */
function start(trouble: Omit<Trouble, 'url' | 'path'>, before = ''): Run {
  const settings = JSON.stringify({ url: provider.url, path: path(), ...trouble });
  const env = { ...process.env, NODE_OPTIONS: '' };
  const child = spawn('bash', ['-c', `${before} exec "$0" --no-warnings "$1" "$2"`, process.execPath, compiled.program(PROGRAM), settings], { env }); // prettier-ignore
  let told = '';
  child.stdout.on('data', (chunk: Buffer) => (told += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
  const said = new Promise<readonly string[]>((resolve) => void child.once('close', () => resolve(told.trim().split('\n')))); // prettier-ignore
  return { child, said };
}

const keysOf = (lines: readonly string[], what: 'got' | 'refused'): string[] =>
  lines.flatMap((line) => (line.startsWith(`${what} `) ? [line.split(' ')[1]!] : []));
/** The payments that reached the provider, by their keys. */
const sent = (): string[] => provider.log.flatMap(({ method, path: of }) => (method === 'POST' ? [of.replace('/payments/', '')] : [])); // prettier-ignore
/** As long as the process lives. */
async function arrived(child: ChildProcess, payments: number): Promise<void> {
  while (sent().length < payments && child.exitCode === null) await later(10);
}
const statesOf = (): string[] => {
  const raw = openRaw(path());
  try {
    return raw.all<{ state: string }>('SELECT DISTINCT state FROM operations').map(({ state }) => state);
  } finally {
    raw.close();
  }
};

test('case 89: on a full disk a payment is refused unsent, none that was acknowledged is lost, and with room each is made once', async () => {
  const first = await start({ untilRefused: 3 }, `trap '' XFSZ; ulimit -f ${FULL_AT};`).said;
  expect(first.at(-1)).toBe('closed');
  const refused = keysOf(first, 'refused');
  const got = keysOf(first, 'got');
  expect(got.length).toBeGreaterThan(5);
  for (const line of first.filter((each) => each.startsWith('refused'))) expect(line).toMatch(/ STORE_UNAVAILABLE SQLITE_(FULL|IOERR)/); // prettier-ignore
  expect(sent()).toEqual(got);

  const second = await start({ pays: [...got, ...refused] }).said;
  expect(second.at(-1)).toBe('closed');
  expect(keysOf(second, 'got')).toEqual([...got, ...refused]);
  expect(sent()).toEqual([...got, ...refused]);
  expect(statesOf()).toEqual(['done']);
});

test('law 8: where the thread of the store is ended under a payment that caller gets its answer, the next is refused unsent, and the next process does the rest', async () => {
  const { child, said } = start({ pays: ['before'], losesThread: true });
  await arrived(child, 1);
  provider.play([slow(1_000)]);
  await arrived(child, 2);
  child.stdin!.write('now\n');
  const lines = await said;
  expect(lines.at(-1)).toBe('closed');
  expect(keysOf(lines, 'got')).toEqual(['before', 'slow']);
  expect(lines).toContainEqual(expect.stringMatching(/^refused after STORE_UNAVAILABLE WORKER_ENDED/));
  expect(sent()).toEqual(['before', 'slow']);

  const second = await start({ pays: ['before', 'slow', 'after'] }).said;
  expect(keysOf(second, 'got')).toEqual(['before', 'slow', 'after']);
  expect(sent()).toEqual(['before', 'slow', 'after']);
  expect(statesOf()).toEqual(['done']);
});
