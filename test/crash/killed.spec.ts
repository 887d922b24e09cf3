import { jest } from '@jest/globals';
import { type Compiled, compileSources } from '../support/compiled.js';
import { killedRun, type Outcome } from './killed-run.fixture.js';
import { openOf, RIGHT } from './world.fixture.js';

// Each process takes about a second to start, several on a busy machine.
jest.setTimeout(240_000);

const KILLS = 5;
const STOPS = 2;
/** A provider with idempotency keys, and one without, at which an invoice can be looked up by its reference. */
const WITH_AND_WITHOUT_KEYS = [true, false];

const GIVEN_BACK: ReadonlySet<string> = new Set(['queued', 'waiting']);

let compiled: Compiled;

beforeAll(async () => {
  compiled = await compileSources([]);
});

afterAll(() => compiled.remove());

test(`law 8: each invoice is there once and sent once after SIGKILL at ${KILLS} moments, with keys and without`, async () => {
  const runs = WITH_AND_WITHOUT_KEYS.map((keys) =>
    killedRun(compiled, { keys, signal: 'SIGKILL', kills: KILLS, seed: 11 }),
  );
  for (const outcome of await Promise.all(runs)) expectRight(outcome, KILLS);
});

test(`nothing is uncertain and no delivery counted after SIGTERM at ${STOPS} moments, and each invoice is there once`, async () => {
  const runs = WITH_AND_WITHOUT_KEYS.map((keys) =>
    // What a stop leaves behind waits for no lease to end.
    killedRun(compiled, { keys, signal: 'SIGTERM', kills: STOPS, seed: 12, leaseMs: 60_000 }),
  );
  for (const outcome of await Promise.all(runs)) {
    const open = outcome.left.flatMap(openOf);
    expect(open.filter(({ state, deliveries }) => !GIVEN_BACK.has(state) || deliveries > 0)).toEqual([]);
    expectRight(outcome, STOPS);
  }
});

function expectRight({ end, findings, rows, kills }: Outcome, planned: number): void {
  expect(end).toMatchObject({ code: 0, report: { failures: [{ timesheet: 'timesheet-without-tax-number' }] } });
  expect(kills).toBe(planned);
  expect(findings).toEqual(RIGHT);
  expect(openOf(rows)).toEqual([]);
}
