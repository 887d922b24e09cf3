import { checkShape } from '../contract/check-shape.js';
import { DURATION_FORMAT, durationMs, parseDuration } from '../contract/durations.js';
import * as shape from '../contract/shape.js';
import { configErrorOf } from '../errors/config-error.js';
import type { OperationsOptions } from './operations.js';

/** A lease that is renewed in time though the store takes as long as it may. */
const LEAST_LEASE_MS = 1_000;
const LEAST_POLL_MS = 10;

const optionsShape = shape.options<OperationsOptions>({
  concurrency: shape.count.optional(),
  poll: atLeast(LEAST_POLL_MS).optional(),
  lease: atLeast(LEAST_LEASE_MS).optional(),
  maxHold: shape.duration.optional(),
  maxChecks: shape.count.optional(),
});

export interface ResolvedOperationsOptions {
  readonly concurrency: number;
  readonly pollMs: number;
  readonly leaseMs: number;
  readonly maxHoldMs: number;
  readonly maxChecks: number;
}

/** @throws SluiceError CONFIG that names all options that make no sense. */
export function resolveOperationsOptions(options: OperationsOptions = {}): ResolvedOperationsOptions {
  const findings = checkShape(optionsShape, options);
  if (findings.length > 0) {
    const named = findings.map((finding) => ({
      ...finding,
      option: finding.option === 'the contract' ? 'operations' : `operations.${finding.option}`,
    }));
    throw configErrorOf(null, named);
  }
  const { concurrency = 8, poll = '1s', lease = '30s', maxHold = '5s', maxChecks = 10 } = options;
  return {
    concurrency,
    pollMs: parseDuration(poll, 'operations.poll'),
    leaseMs: parseDuration(lease, 'operations.lease'),
    maxHoldMs: parseDuration(maxHold, 'operations.maxHold'),
    maxChecks,
  };
}

function atLeast(ms: number): shape.Shape {
  return shape.leaf(`at least ${ms} ms: ${DURATION_FORMAT}`, (value) => (durationMs(value) ?? 0) >= ms);
}
