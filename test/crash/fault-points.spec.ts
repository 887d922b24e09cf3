import { jest } from '@jest/globals';
import { type Compiled, compileSources } from '../support/compiled.js';
import { FAULT_PROGRAM, pointsOfRun, runFaults } from './fault-chain.fixture.js';

// Each process takes about a second to start, several on a busy machine.
jest.setTimeout(240_000);

/** Every sixth point here, all of them in the long run. */
const STRIDE = 6;

let compiled: Compiled;

beforeAll(async () => {
  compiled = await compileSources(FAULT_PROGRAM);
});

afterAll(() => compiled.remove());

test('law 8: a process that dies at a write around a send leaves each invoice once, with keys and without', async () => {
  const outcomes = [true, false].map(async (keys) => {
    const points = await pointsOfRun(compiled, keys);
    // Two requests, each with its operation made, written down, answered and settled.
    expect(new Set(points.map(({ command, ordinal }) => `${command} ${ordinal}`)).size).toBe(8);
    const some = points.filter((_point, at) => at % STRIDE === (keys ? 1 : 2)).map((point) => [point]);
    return runFaults(compiled, keys, some, 2);
  });
  for (const outcome of await Promise.all(outcomes)) {
    expect(outcome).toMatchObject({ wrong: [], unreached: [], open: [], end: { code: 0, report: { failures: [] } } });
  }
});
