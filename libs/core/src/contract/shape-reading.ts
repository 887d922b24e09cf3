import { z } from 'zod';
import { ANSWER_MEANINGS } from '../model/meanings.js';
import type {
  AnswerMatch,
  AnswerRule,
  Pattern,
  QuotaHeaderOptions,
  ReadingOptions,
  WindowOptions,
} from '../reading/options.js';
import { QUOTA_HEADER_UNITS } from './resolve-reading.js';
import * as shape from './shape.js';

const isObjectWith = (value: unknown, key: string): boolean =>
  typeof value === 'object' && value !== null && key in value;

const fromHeader = shape.options<{ header: string; pattern?: Pattern; index?: number }>({
  header: shape.headerName,
  pattern: shape.pattern.optional(),
  index: shape.countOrNone.optional(),
});
const fromBody = shape.options<{ body: string; pattern?: Pattern }>({
  body: shape.text,
  pattern: shape.pattern.optional(),
});
const noValue = shape.leaf("the name of a header, { header: 'name' } or { body: 'path' }", () => false);

const value = shape.choose((given) => {
  if (typeof given === 'string') return shape.headerName;
  if (isObjectWith(given, 'header')) return fromHeader;
  return isObjectWith(given, 'body') ? fromBody : noValue;
});

const timed = shape.options<{ from: unknown; as: string }>({
  from: value,
  as: shape.oneOf('auto', 'seconds', 'milliseconds', 'epoch-seconds', 'epoch-milliseconds', 'date'),
});
const time = shape.choose((given) => (isObjectWith(given, 'from') ? timed : value));

const taken = shape.options<{ from: unknown; prefix?: string }>({ from: value, prefix: shape.text.optional() });
const scope = shape.choose((given) => (typeof given === 'string' ? shape.text : taken));

const valueOrNumber = shape.choose((given) => (typeof given === 'number' ? shape.positive : value));

const presence = shape.options<{ present: boolean }>({ present: shape.flag });
const matches = shape.options<{ matches: Pattern }>({ matches: shape.pattern });
const match = shape.choose((given) => {
  if (given instanceof RegExp || ['string', 'number', 'boolean'].includes(typeof given)) return z.unknown();
  return isObjectWith(given, 'matches') ? matches : presence;
});

const window = shape.options<WindowOptions>({
  scope: scope.optional(),
  unit: shape.name.optional(),
  remaining: value.optional(),
  used: value.optional(),
  limit: value.optional(),
  reset: time.optional(),
  resetAfter: time.optional(),
  alignedMs: shape.positive.optional(),
  perSecond: valueOrNumber.optional(),
  windowSeconds: valueOrNumber.optional(),
  kind: shape.text.optional(),
});

const when = shape.options<AnswerMatch>({
  status: shape.choose((given) => (Array.isArray(given) ? shape.listOf(shape.status) : shape.status)).optional(),
  headers: shape.anyMap(match).optional(),
  body: shape.anyMap(match).optional(),
  hinted: shape.flag.optional(),
  remaining: shape.oneOf('none', 'some').optional(),
});

/** A word of the vocabulary that says what an answer means. */
const meaning = shape.oneOf(...ANSWER_MEANINGS);

const rule = shape.options<AnswerRule>({
  when,
  means: meaning.optional(),
  limited: shape.flag.optional(),
  retryable: shape.flag.optional(),
  kind: shape.text.optional(),
  scope: scope.optional(),
  waitMs: shape.notNegative.optional(),
});

export const readingShape = shape.options<ReadingOptions>({
  scopes: shape.anyMap(shape.name).optional(),
  waits: shape.listOf(time).optional(),
  pickWait: shape.oneOf('first', 'longest').optional(),
  windows: shape.listOf(window).optional(),
  fields: shape
    .listOf(
      shape.options<{ header: string; policy?: string }>({
        header: shape.headerName,
        policy: shape.headerName.optional(),
      }),
    )
    .optional(),
  rules: shape.listOf(rule).optional(),
  cost: shape.choose((given) => (Array.isArray(given) ? shape.listOf(value) : value)).optional(),
  costUnit: shape.name.optional(),
  nearLimit: shape.options<NonNullable<ReadingOptions['nearLimit']>>({ from: value, is: match }).optional(),
  batch: shape
    .options<NonNullable<ReadingOptions['batch']>>({
      list: shape.text,
      id: shape.text.optional(),
      status: shape.text,
      headers: shape.text.optional(),
      body: shape.text.optional(),
    })
    .optional(),
});

export const quotaHeadersShape = shape.listOf(
  shape.options<QuotaHeaderOptions>({
    limit: shape.name,
    remaining: shape.headerName.optional(),
    used: shape.headerName.optional(),
    limitHeader: shape.headerName.optional(),
    reset: shape.headerName.optional(),
    unit: shape.oneOf(...QUOTA_HEADER_UNITS).optional(),
  }),
);

export const statusesShape = shape.statusMap(meaning);
