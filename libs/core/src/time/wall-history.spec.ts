import { VirtualClock } from '../../../testing/src/index.js';
import { WallHistory } from './wall-history.js';

const HOUR_MS = 3_600_000;
let clock: VirtualClock;
let history: WallHistory;
beforeEach(() => {
  clock = new VirtualClock();
  history = new WallHistory(clock);
});

test('a moment is found again by its wall time', async () => {
  await clock.advance(5_000);
  const wallMs = clock.wallMs();
  await clock.advance(60_000);
  expect(history.monoOf(wallMs)).toBe(5_000);
});

test.each([HOUR_MS, -HOUR_MS])('a moment before a step of %d ms is found where it was', async (stepMs) => {
  await clock.advance(5_000);
  const wallMs = clock.wallMs();
  await clock.advance(1_000);
  clock.stepWall(stepMs);
  await clock.advance(60_000);
  expect(history.monoOf(wallMs)).toBe(5_000);
});

test.each([HOUR_MS, -HOUR_MS])('a moment after a step of %d ms is found where it was', async (stepMs) => {
  await clock.advance(5_000);
  clock.stepWall(stepMs);
  await clock.advance(1_000);
  const wallMs = clock.wallMs();
  history.note();
  await clock.advance(60_000);
  clock.stepWall(-stepMs);
  expect(history.monoOf(wallMs)).toBe(6_000);
});

test('of two moments that the wall clock showed alike it is the later one', async () => {
  await clock.advance(10_000);
  const wallMs = clock.wallMs();
  await clock.advance(10_000);
  clock.stepWall(-15_000);
  history.note();
  await clock.advance(60_000);
  expect(history.monoOf(wallMs)).toBe(25_000);
});

test('what the wall clock never showed may have been just now', async () => {
  await clock.advance(10_000);
  expect(history.monoOf(clock.wallMs() + HOUR_MS)).toBe(10_000);
});

test('what was before it was looked at is believed', async () => {
  await clock.advance(10_000);
  expect(history.monoOf(clock.wallMs() - HOUR_MS)).toBe(10_000 - HOUR_MS);
});
