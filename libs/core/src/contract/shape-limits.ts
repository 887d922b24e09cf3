import type {
  ConcurrencyOptions,
  FixedWindowOptions,
  LimitOptions,
  QuotaOptions,
  SlidingWindowOptions,
  TokenBucketOptions,
} from './options.js';
import * as shape from './shape.js';

type WithKind<T> = T & { readonly kind: LimitOptions['kind'] };

const common = {
  kind: shape.text,
  name: shape.name.optional(),
  unit: shape.name.optional(),
  countedBy: shape.listOf(shape.name).optional(),
  routes: shape.listOf(shape.name).optional(),
  refusedCalls: shape.oneOf('count', 'free').optional(),
};

const byKind: Readonly<Record<LimitOptions['kind'], shape.Shape>> = {
  'token-bucket': shape.options<WithKind<TokenBucketOptions>>({
    ...common,
    burst: shape.positive,
    limit: shape.positive,
    per: shape.someDuration,
  }),
  'sliding-window': shape.options<WithKind<SlidingWindowOptions>>({
    ...common,
    limit: shape.positive,
    per: shape.someDuration,
  }),
  'fixed-window': shape.options<WithKind<FixedWindowOptions>>({
    ...common,
    limit: shape.positive,
    per: shape.someDuration,
    align: shape.oneOf('clock', 'unknown').optional(),
  }),
  concurrency: shape.options<WithKind<ConcurrencyOptions>>({
    ...common,
    limit: shape.count,
    worksAfterTimeout: shape.duration.optional(),
  }),
  quota: shape.options<WithKind<QuotaOptions>>({
    ...common,
    limit: shape.positive,
    per: shape.oneOf('day', 'month'),
    timeZone: shape.timeZone.optional(),
    reserve: shape.namedMap(shape.share).optional(),
    volatile: shape.flag.optional(),
  }),
};

const noLimit = shape.leaf(
  'what tokenBucket(), slidingWindow(), fixedWindow(), concurrency() or quota() returns',
  () => false,
);

export const limitShape = shape.choose((value) => {
  const kind = (value as { readonly kind?: unknown } | null | undefined)?.kind;
  return typeof kind === 'string' && Object.hasOwn(byKind, kind) ? byKind[kind as LimitOptions['kind']] : noLimit;
});
