import type { SimulatedRequest, SimulatorOptions } from 'nestjs-sluice/testing';

const SECOND_MS = 1_000;

const baseOf = ({ path }: SimulatedRequest): string => path.split('/')[2] ?? '';
const tokenOf = ({ headers }: SimulatedRequest): string => headers['authorization'] ?? '';

/** Airtable: five calls a second for each base, fifty for each token; who had more waits 30 seconds. It tells nothing. */
export function airtable(): SimulatorOptions {
  const penaltyMs = 30 * SECOND_MS;
  return {
    limits: [
      { kind: 'sliding-window', name: 'base', limit: 5, perMs: SECOND_MS, partition: baseOf, penaltyMs },
      { kind: 'sliding-window', name: 'user', limit: 50, perMs: SECOND_MS, partition: tokenOf, penaltyMs },
    ],
    latencyMs: 150,
    refusal: {
      retryAfter: 'none',
      body: { errors: [{ error: 'RATE_LIMIT_REACHED', message: 'Rate limit exceeded. Please try again later' }] },
    },
  };
}
