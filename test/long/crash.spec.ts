import { jest } from '@jest/globals';
import {
  type Fault,
  FAULT_PROGRAM,
  nameOf,
  pointsAfter,
  pointsOfRun,
  runFaults,
} from '../crash/fault-chain.fixture.js';
import { killedRun } from '../crash/killed-run.fixture.js';
import { openOf, RIGHT } from '../crash/world.fixture.js';
import { type Compiled, compileSources } from '../support/compiled.js';

jest.setTimeout(1_800_000);

const ROUNDS = 4;
const KILLS = 50;
const LANES = 4;

let compiled: Compiled;

beforeAll(async () => {
  compiled = await compileSources(FAULT_PROGRAM);
});

afterAll(() => compiled.remove());

const allRight = { wrong: [], unreached: [], open: [], end: { code: 0, report: { failures: [] } } };

test(`law 8: each invoice is there once and sent once after SIGKILL at ${ROUNDS * KILLS} moments`, async () => {
  const rounds = Array.from({ length: ROUNDS }, (_, round) =>
    killedRun(compiled, { keys: round % 2 === 0, signal: 'SIGKILL', kills: KILLS, seed: 100 + round }),
  );
  for (const { end, findings, rows, kills } of await Promise.all(rounds)) {
    expect(end).toMatchObject({ code: 0, report: { failures: [{ timesheet: 'timesheet-without-tax-number' }] } });
    expect(kills).toBe(KILLS);
    expect(findings).toEqual(RIGHT);
    expect(openOf(rows)).toEqual([]);
  }
});

describe.each([
  ['with idempotency keys', true],
  ['without keys, by a lookup', false],
])('a provider %s', (_name, keys) => {
  test('law 8: a process that dies at any write around a send leaves each invoice once', async () => {
    const faults: Fault[] = (await pointsOfRun(compiled, keys)).map((point) => [point]);
    expect(await runFaults(compiled, keys, faults, LANES)).toMatchObject(allRight);
  });

  test('law 8: one that dies again at any write of the recovery does so too', async () => {
    // The hardest place to go on from: it may have been sent, or not.
    const faults = await pointsAfter(compiled, keys, { command: 'recordRequest', ordinal: 1, kind: 'after' });
    const recovering = faults.map(nameOf).filter((name) => /recover|redrive|claim/.test(name));
    expect(recovering).not.toEqual([]);
    expect(await runFaults(compiled, keys, faults, LANES)).toMatchObject(allRight);
  });
});
