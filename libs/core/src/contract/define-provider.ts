import { configErrorOf, type Finding } from '../errors/config-error.js';
import { checkNames } from './check-names.js';
import { checkReading } from './check-reading.js';
import { checkSense } from './check-sense.js';
import { checkShape } from './check-shape.js';
import { frozenCopy } from './freeze.js';
import type { ProviderOptions } from './options.js';
import { resolve } from './resolve.js';
import type { ProviderContract } from './resolved.js';
import { providerShape } from './shape-provider.js';
import { name } from './shape.js';

/**
 * Describes a provider, once: its limits, lanes, time limits, and what its answers mean. What it returns is frozen; the
 * options given stay as they are.
 *
 * @throws SluiceError CONFIG that lists everything that is wrong with the options.
 */
export function defineProvider(options: ProviderOptions): ProviderContract {
  const own = frozenCopy(options);
  refuse(own, checkShape(providerShape, own));
  const resolved = frozenCopy(resolve(own));
  refuse(own, [...checkNames(own, resolved), ...checkReading(own, resolved), ...checkSense(own, resolved)]);
  return Object.freeze({ name: resolved.name, resolved });
}

function refuse(options: ProviderOptions | undefined, findings: readonly Finding[]): void {
  if (findings.length === 0) return;
  const known = options !== undefined && checkShape(name, options?.name).length === 0;
  throw configErrorOf(
    known ? options.name : null,
    findings.map((finding) => withLimitName(options, finding)),
  );
}

/** A list of fifty limits is counted by nobody: a limit that has a name is told by it too. */
function withLimitName(options: ProviderOptions | undefined, finding: Finding): Finding {
  const index = /^limits\[(\d+)\](?!\.name\b)/.exec(finding.option)?.[1];
  const limit = index === undefined ? undefined : options?.limits?.[Number(index)];
  if (limit === undefined || limit === null || checkShape(name, limit.name).length > 0) return finding;
  return { ...finding, option: `${finding.option} (limit "${limit.name}")` };
}
