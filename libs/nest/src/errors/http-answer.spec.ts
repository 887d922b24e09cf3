import { readFileSync } from 'node:fs';
import { SLUICE_ERROR_CODES, SluiceError, type SluiceErrorCode } from '../../../core/src/index.js';
import {
  answerToClient,
  type GuardedAxiosError,
  isGuardedAxiosError,
  retryAfterSeconds,
  UPSTREAM_CODE,
} from './http-answer.js';

const NOW = Date.UTC(2026, 0, 1);

function ofCode(code: SluiceErrorCode, more: { retryAfterMs?: number; retryAt?: Date } = {}) {
  return answerToClient(new SluiceError({ code, message: 'why', provider: 'crm', ...more }), NOW);
}

function ofUpstream(status: number | null, reason: string, retryAt: Date | null = null) {
  const error = Object.assign(new Error('GET https://api.example/?token=secret failed'), {
    isAxiosError: true,
    sluice: { reason, retryAt, operationId: null },
    ...(status === null ? {} : { response: { status } }),
  });
  return answerToClient(error as unknown as GuardedAxiosError, NOW);
}

test('every code has a status of its own kind', () => {
  const statuses = Object.fromEntries(SLUICE_ERROR_CODES.map((code) => [code, ofCode(code).status]));
  expect(statuses).toEqual({
    QUEUE_FULL: 503,
    QUEUE_WAIT_EXCEEDED: 503,
    DEADLINE_UNREACHABLE: 503,
    DEADLINE_EXCEEDED: 504,
    CONNECT_TIMEOUT: 504,
    ATTEMPT_TIMEOUT: 504,
    BODY_TIMEOUT: 504,
    PAUSED: 429,
    CIRCUIT_OPEN: 503,
    QUOTA_EXHAUSTED: 429,
    NEVER_ADMISSIBLE: 500,
    OUTCOME_UNKNOWN: 504,
    IDEMPOTENCY_CONFLICT: 422,
    OPERATION_IN_PROGRESS: 409,
    DEFERRED: 202,
    AUTH_FAILED: 503,
    PAYLOAD_TOO_LARGE: 413,
    GATE_UNAVAILABLE: 503,
    STORE_UNAVAILABLE: 503,
    SHUTDOWN: 503,
    CONFIG: 500,
  });
});

test.each([
  [1, 1],
  [1000, 1],
  [1001, 2],
  [60_000, 60],
  [0, 1],
])('a wait of %d ms is a Retry-After of %d whole seconds', (retryAfterMs, seconds) => {
  expect(retryAfterSeconds(ofCode('PAUSED', { retryAfterMs }))).toBe(seconds);
});

test('a moment is turned into the wait from now on, and never into a negative one', () => {
  expect(ofCode('CIRCUIT_OPEN', { retryAt: new Date(NOW + 1500) }).retryAfterMs).toBe(1500);
  expect(ofCode('CIRCUIT_OPEN', { retryAt: new Date(NOW - 1500) }).retryAfterMs).toBe(0);
  expect(retryAfterSeconds(ofCode('CIRCUIT_OPEN'))).toBeNull();
});

test('a wait is told in whole milliseconds, rounded up', () => {
  expect(ofCode('DEFERRED', { retryAfterMs: 599_844.57 }).retryAfterMs).toBe(599_845);
});

test('what is wrong with the set-up is not told to clients', () => {
  expect(ofCode('CONFIG')).toMatchObject({ message: 'Internal server error', provider: null });
});

test.each([
  [429, 'attempts-exhausted', 429, 'UPSTREAM_LIMITED'],
  [503, 'attempts-exhausted', 503, 'UPSTREAM_UNAVAILABLE'],
  [500, 'budget-exhausted', 503, 'UPSTREAM_UNAVAILABLE'],
  [500, 'unsafe', 502, 'UPSTREAM_FAILED'],
  [504, 'attempts-exhausted', 504, 'UPSTREAM_TIMEOUT'],
  [500, 'deadline', 504, 'UPSTREAM_TIMEOUT'],
  [404, 'permanent', 502, 'UPSTREAM_FAILED'],
  [401, 'auth', 502, 'UPSTREAM_FAILED'],
  [null, 'attempts-exhausted', 502, 'UPSTREAM_FAILED'],
])('an upstream answer of %s that ended as %s is told as %d %s', (upstream, reason, status, code) => {
  expect(ofUpstream(upstream, reason)).toMatchObject({ status, code });
});

test('law 12: nothing of the upstream error itself is told', () => {
  expect(JSON.stringify(ofUpstream(404, 'permanent'))).not.toContain('secret');
});

test('an error of Axios counts only with what the module adds to it', () => {
  expect(isGuardedAxiosError({ isAxiosError: true, sluice: {} })).toBe(true);
  expect([{ isAxiosError: true }, { sluice: {} }, null, 'text', new Error('x')].map(isGuardedAxiosError)).toEqual(
    Array(5).fill(false),
  );
});

test("docs/errors.md lists the filter's own codes with their statuses, and no others", () => {
  const rows = readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `(UPSTREAM_\w+)` \| (\d+) \| .{10,} \|$/gm);
  expect(Object.fromEntries([...rows].map(([, code, status]) => [status, code]))).toEqual(UPSTREAM_CODE);
});
