import type { z } from 'zod';
import { type Finding, showValue } from '../errors/config-error.js';
import { didYouMean } from '../errors/nearest.js';
import { ONE_OF, type Shape } from './shape.js';

/** What may hold credentials: only its type is told. */
const SECRET = /^(auth|http)\b/;

const UNKNOWN = 'not an option';

/** What is wrong with the shape of options: types, ranges, unknown keys. Those come first: a slip of the pen explains what is missing. */
export function checkShape(shape: Shape, options: unknown): readonly Finding[] {
  const findings = (shape.safeParse(options).error?.issues ?? []).flatMap((issue) => findingsOf(issue, options));
  const isUnknown = ({ found }: Finding): boolean => found === UNKNOWN;
  return [...findings.filter(isUnknown), ...findings.filter((finding) => !isUnknown(finding))];
}

function findingsOf(issue: z.core.$ZodIssue, options: unknown): readonly Finding[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      option: pathText([...issue.path, key]),
      // The value may be a credential at the wrong place.
      found: UNKNOWN,
      expected: issue.message + didYouMean(key, issue.message.replace(ONE_OF, '').split(', ')),
    }));
  }
  if (issue.code === 'invalid_key') {
    return [
      {
        option: `a name in ${pathText(issue.path.slice(0, -1))}`,
        found: showValue(issue.path.at(-1)),
        expected: issue.message,
      },
    ];
  }
  const option = pathText(issue.path);
  const value = issue.path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key],
    options,
  );
  return [{ option, found: SECRET.test(option) ? typeText(value) : showValue(value), expected: issue.message }];
}

function typeText(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}

function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the contract';
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}
