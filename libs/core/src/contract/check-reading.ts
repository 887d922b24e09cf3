/** What the reading and its short forms say together, and of which limits. */
import { type Finding, showValue } from '../errors/config-error.js';
import type { QuotaHeaderOptions } from '../reading/options.js';
import type { ProviderOptions } from './options.js';
import type { ResolvedContract } from './resolved.js';

export function checkReading(options: ProviderOptions, contract: ResolvedContract): readonly Finding[] {
  const { quotaHeaders = [], reading = {} } = options;
  return [
    ...quotaHeaders.flatMap((each, index) => [
      ...checkLimit(each, `quotaHeaders[${index}]`, contract),
      ...checkFigures(each, `quotaHeaders[${index}]`),
      ...checkOnce(each, `quotaHeaders[${index}]`, quotaHeaders.slice(0, index), reading.scopes),
    ]),
    ...(reading.rules ?? []).flatMap(({ means, limited, retryable }, index) =>
      means !== undefined && (limited !== undefined || retryable !== undefined)
        ? [
            {
              option: `reading.rules[${index}].means`,
              found: showValue(means),
              expected: 'not to be given together with limited or retryable: it says both',
            },
          ]
        : [],
    ),
  ];
}

function checkLimit({ limit }: QuotaHeaderOptions, path: string, { limits }: ResolvedContract): readonly Finding[] {
  const over = limits.filter(({ kind }) => kind !== 'concurrency').map(({ name }) => name);
  if (over.includes(limit)) return [];
  const names = over.length === 0 ? 'there are none' : over.join(', ');
  return [{ option: `${path}.limit`, found: showValue(limit), expected: `one of the limits over time: ${names}` }];
}

function checkFigures(each: QuotaHeaderOptions, path: string): readonly Finding[] {
  const { remaining, used, limitHeader, reset, unit } = each;
  const findings: Finding[] = [];
  if (remaining === undefined && used === undefined && reset === undefined) {
    findings.push({ option: path, found: 'without a header', expected: 'remaining, used or reset' });
  }
  if (used !== undefined && remaining !== undefined) {
    findings.push({ option: `${path}.used`, found: showValue(used), expected: 'none where remaining is given' });
  }
  if (used !== undefined && limitHeader === undefined) {
    findings.push({
      option: `${path}.limitHeader`,
      found: 'undefined',
      expected: 'the header of the limit: what is left is the limit less what is used',
    });
  }
  if (unit !== undefined && reset === undefined) {
    findings.push({ option: `${path}.unit`, found: showValue(unit), expected: 'a reset that is written in it' });
  }
  return findings;
}

/** Two figures of one limit would contradict each other, and a scope means one limit. */
function checkOnce(
  { limit }: QuotaHeaderOptions,
  path: string,
  before: readonly QuotaHeaderOptions[],
  scopes: Readonly<Record<string, string>> = {},
): readonly Finding[] {
  const option = `${path}.limit`;
  if (before.some((other) => other.limit === limit)) {
    return [{ option, found: `${showValue(limit)} twice`, expected: 'each limit once' }];
  }
  const meant = Object.hasOwn(scopes, limit) ? scopes[limit] : undefined;
  if (meant === undefined || meant === limit) return [];
  return [{ option, found: showValue(limit), expected: `a name that reading.scopes does not give to "${meant}"` }];
}
