import type { ResolvedContract } from '../contract/resolved.js';
import { configErrorOf } from '../errors/config-error.js';
import type { CallOptions } from './call.js';

const KNOWN: Readonly<Record<keyof CallOptions, true>> = {
  lane: true,
  tenant: true,
  partition: true,
  units: true,
  route: true,
  safe: true,
  idempotencyKey: true,
  step: true,
  deadline: true,
};

/**
 * A misspelt option would be left out in silence, and something else be sent. Its value is not shown: it may be personal.
 *
 * @throws SluiceError CONFIG
 */
export function refuseUnknownOptions({ name }: ResolvedContract, options: CallOptions): void {
  for (const option in options) {
    if (Object.hasOwn(KNOWN, option) || (options as Readonly<Record<string, unknown>>)[option] === undefined) continue;
    const expected = `one of ${Object.keys(KNOWN).join(', ')}, as \`sluice\` of a request or in run(); nothing was sent`;
    throw configErrorOf(name, [{ option: JSON.stringify(option), found: 'no option of a call', expected }]);
  }
}
