/** The pieces that shapes are made of. The message of each says what is expected, in words that end `expected ...`. */
import { z } from 'zod';
import { DURATION_FORMAT, durationMs } from './durations.js';

export type Shape = z.ZodType;

/** A value that passes a test. */
export function leaf(expected: string, test: (value: unknown) => boolean): Shape {
  return z.custom(test, { error: expected });
}

/** What the options of an object are listed after. */
export const ONE_OF = 'one of ';

/** An object with these options and no others: a key that is not among them is most likely a slip of the pen. */
export function options<T>(shape: { readonly [Key in keyof Required<T>]: Shape }): Shape {
  const keys = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? `${ONE_OF}${keys.join(', ')}` : 'an object'),
  });
}

/** An object with names of the user's own as keys. */
export function namedMap(value: Shape): Shape {
  return z.record(name, value, { error: (issue) => (issue.code === 'invalid_key' ? NAME_FORMAT : 'an object') });
}

/** An object with any keys. */
export function anyMap(value: Shape): Shape {
  return z.record(z.string(), value, { error: 'an object' });
}

export function listOf(element: Shape): Shape {
  return z.array(element, { error: 'a list' });
}

/** One of several shapes, chosen by a look at the value, so that a finding is about the one that was meant. */
export function choose(select: (value: unknown) => Shape): Shape {
  return z.unknown().superRefine((value, context) => {
    for (const issue of select(value).safeParse(value).error?.issues ?? []) {
      context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
    }
  });
}

/** `off` (false, a word), or options. */
export function offOr(off: readonly unknown[], shape: Shape): Shape {
  const words = off.map((word) => JSON.stringify(word)).join(' or ');
  const neither = leaf(`an object or ${words}`, () => false);
  return choose((value) => {
    if (off.includes(value)) return z.unknown();
    return typeof value === 'object' && value !== null ? shape : neither;
  });
}

const NAME_FORMAT = 'a name of letters, digits, "-", "_" and ".", at most 64 characters';

export const name = z.custom<string>((value) => typeof value === 'string' && /^[\w.-]{1,64}$/.test(value), {
  error: NAME_FORMAT,
});
export const text = leaf('a text', (value) => typeof value === 'string' && value.trim() !== '');
export const flag = leaf('true or false', (value) => typeof value === 'boolean');
export const callback = leaf('a function', (value) => typeof value === 'function');
export const pattern = leaf('a regular expression, or its source as a text', (value) => {
  if (value instanceof RegExp) return true;
  if (typeof value !== 'string' || value === '') return false;
  try {
    new RegExp(value, 'i');
    return true;
  } catch {
    return false;
  }
});

const isFinite = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

export const positive = leaf('a number above 0', (value) => isFinite(value) && value > 0);
export const notNegative = leaf('a number from 0', (value) => isFinite(value) && value >= 0);
export const factor = leaf('a number from 1', (value) => isFinite(value) && value >= 1);
export const count = leaf('a whole number from 1', (value) => Number.isSafeInteger(value) && (value as number) >= 1);
export const countOrNone = leaf(
  'a whole number from 0',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);
/** A share that may be nothing. */
export const share = leaf('a share from 0 to 1', (value) => isFinite(value) && value >= 0 && value <= 1);
/** A share that is something. */
export const someShare = leaf('a share above 0, up to 1', (value) => isFinite(value) && value > 0 && value <= 1);

export const duration = leaf(DURATION_FORMAT, (value) => durationMs(value) !== null);
export const someDuration = leaf(`more than 0: ${DURATION_FORMAT}`, (value) => (durationMs(value) ?? 0) > 0);

export function oneOf(...values: readonly string[]): Shape {
  return leaf(values.map((value) => `"${value}"`).join(' or '), (value) => values.includes(value as string));
}

export const status = leaf(
  'a status from 100 to 599',
  (value) => Number.isInteger(value) && (value as number) >= 100 && (value as number) <= 599,
);
const statusKey = z.custom<string>((value) => typeof value === 'string' && /^[1-5]\d\d$/.test(value));

/** An object with statuses as keys. */
export function statusMap(value: Shape): Shape {
  return z.record(statusKey, value, {
    error: (issue) => (issue.code === 'invalid_key' ? 'a status from 100 to 599' : 'an object'),
  });
}

export const headerName = leaf(
  'the name of a header',
  (value) => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value),
);
export const method = leaf('an HTTP method', (value) => typeof value === 'string' && /^[A-Za-z]+$/.test(value));

export const timeZone = leaf("the IANA name of a time zone, such as 'UTC' or 'Europe/Berlin'", (value) => {
  if (typeof value !== 'string') return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value }).format(0);
    return true;
  } catch {
    return false;
  }
});
