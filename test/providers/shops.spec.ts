import { matchRoute } from '../../libs/core/src/contract/match-route.js';
import { acceptsKey, isListedSafe } from '../../libs/core/src/contract/safety.js';
import { type ProviderContract, readAnswer, type RequestView } from '../../libs/core/src/index.js';
import { readingToSeen, refusingLimit } from '../../libs/core/src/reading/seen.js';
import {
  amazonSpApi,
  lemlist,
  mailerliteClassic,
  paypal,
  quickbooks,
  sendgrid,
  shopify,
  square,
  stripe,
  twilio,
  xero,
} from '../../libs/providers/src/index.js';

function view({ resolved }: ProviderContract, text: string, body?: unknown): RequestView {
  const [method = '', path = ''] = text.split(' ');
  return { method, path, query: {}, headers: {}, body, route: matchRoute(resolved, method, path) };
}

/** Names of the limits that a request is charged to. */
function limitsOf(contract: ProviderContract, text: string): string[] {
  const { route } = view(contract, text);
  return contract.resolved.limits
    .filter(({ routes }) => routes === null || (route !== null && routes.includes(route)))
    .map(({ name }) => name);
}

function keyed(contract: ProviderContract, text: string): boolean {
  return acceptsKey(contract.resolved, view(contract, text));
}

function safe(contract: ProviderContract, text: string, body?: unknown): boolean {
  return isListedSafe(contract.resolved, view(contract, text, body));
}

/** What an answer tells of the limits, and which of them refused. */
function told(
  contract: ProviderContract,
  text: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
) {
  const { route } = view(contract, text);
  const reading = readAnswer(contract, { status, headers, body, receivedAt: new Date('2026-11-30T12:00:00Z') });
  return {
    left: Object.fromEntries(
      readingToSeen(contract.resolved, reading, route).map(({ limitName, remaining }) => [limitName, remaining]),
    ),
    refusedBy: refusingLimit(contract.resolved, reading, route),
  };
}

describe('Shopify', () => {
  const graphql = 'POST /admin/api/2026-10/graphql.json';
  const cost = (actualQueryCost: unknown) => ({
    extensions: { cost: { requestedQueryCost: 700, actualQueryCost } },
  });
  const { units, settleUnits } = shopify({ queryPoints: 40 }).resolved.options;

  it('charges a query its guess, a mutation its ten points, and both what the answer says', () => {
    const before = (body: unknown) => units?.(view(shopify(), graphql, body));
    const after = (body: unknown) =>
      settleUnits?.({ status: 200, headers: {}, body, request: view(shopify(), graphql) });
    expect(before({ query: '{ shop { name } }' })).toEqual({ points: 40 });
    expect(before({ query: ' mutation a { b { c } }' })).toEqual({ points: 10 });
    for (const body of [undefined, null, 'text', 5, [], { query: 7 }]) expect(before(body)).toEqual({ points: 40 });
    expect(after(cost(46))).toEqual({ points: 46 });
    for (const body of [undefined, null, 'text', { extensions: null }, cost(null)]) expect(after(body)).toBeUndefined();
  });

  it('repeats queries, and no mutation', () => {
    expect(safe(shopify(), graphql, { query: '{ shop { name } }' })).toBe(true);
    expect(safe(shopify(), graphql, { query: 'mutation { a { b } }' })).toBe(false);
    expect(safe(shopify({ api: 'rest' }), 'POST /admin/api/2026-10/orders.json')).toBe(false);
  });

  it('is slowed down by the bucket of the API it calls', () => {
    const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 12, restoreRate: 100 };
    expect(told(shopify(), graphql, 200, {}, { extensions: { cost: { throttleStatus } } }).left).toEqual({
      points: 12,
    });
    const rest = shopify({ api: 'rest' });
    expect(told(rest, 'GET /a', 200, { 'X-Shopify-Shop-Api-Call-Limit': '39/40' }).left).toEqual({ calls: 1 });
    expect(rest.resolved.limits).toMatchObject([{ burst: 40, limit: 2, countedBy: ['shop'] }]);
  });
});

describe('Stripe', () => {
  it('counts each operation by itself, whatever the id, and all together', () => {
    expect(limitsOf(stripe(), 'GET /v1/customers/cus_1')).toEqual(['second', 'getCustomer']);
    expect(limitsOf(stripe(), 'GET /v1/customers/search')).toEqual(['second', 'search']);
    expect(limitsOf(stripe(), 'POST /v1/payouts')).toEqual(['second', 'payouts', 'payouts-concurrent']);
    expect(limitsOf(stripe(), 'POST /v1/charges')).toEqual(['second']);
    expect(stripe({ environment: 'sandbox' }).resolved.limits[0]).toMatchObject({ limit: 25 });
  });

  it('takes a refusal for the whole account where Stripe says global, else for its endpoint', () => {
    const refused = (reason: string) =>
      told(stripe(), 'GET /v1/invoices', 429, { 'Stripe-Rate-Limited-Reason': reason }).refusedBy;
    expect(refused('global-rate')).toBe('second');
    expect(refused('endpoint-rate')).toBeNull();
  });

  it('sends keys with POST, in version 2 with DELETE too', () => {
    expect(keyed(stripe(), 'POST /v1/refunds')).toBe(true);
    expect(keyed(stripe(), 'DELETE /v1/customers/cus_1')).toBe(false);
    expect(keyed(stripe({ api: 'v2' }), 'DELETE /v2/core/event_destinations/ed_1')).toBe(true);
  });
});

describe('keys', () => {
  it('go to the endpoints of Square and PayPal that are known to take them, and to no other', () => {
    expect(keyed(square(), 'POST /v2/payments')).toBe(true);
    expect(keyed(square(), 'POST /v2/orders/abc/pay')).toBe(true);
    expect(keyed(square(), 'POST /v2/loyalty/accounts')).toBe(false);
    expect(keyed(paypal(), 'POST /v2/checkout/orders/5O1/capture')).toBe(true);
    expect(keyed(paypal(), 'POST /v3/vault/setup-tokens')).toBe(false);
  });

  it('are not needed for reads by POST', () => {
    expect(safe(square(), 'POST /v2/orders/search')).toBe(true);
    expect(safe(square(), 'POST /v2/orders')).toBe(false);
    expect(safe(quickbooks(), 'POST /v3/company/42/query')).toBe(true);
    expect(safe(quickbooks(), 'POST /v3/company/42/invoice')).toBe(false);
    expect(safe(amazonSpApi(), 'POST /batches/products/pricing/v0/itemOffers')).toBe(true);
    expect(safe(amazonSpApi(), 'POST /reports/2021-06-30/reports')).toBe(false);
  });
});

describe('limits of single endpoints', () => {
  it('are buckets of the operation at Amazon, and of the app besides for catalogue and listings', () => {
    expect(limitsOf(amazonSpApi(), 'GET /orders/v0/orders/1-2-3/orderItems')).toEqual(['getOrderItems']);
    expect(limitsOf(amazonSpApi(), 'GET /catalog/2022-04-01/items')).toEqual([
      'searchCatalogItems',
      'app-catalog-searches',
    ]);
    expect(limitsOf(amazonSpApi(), 'PATCH /listings/2021-08-01/items/A1/SKU-1')).toEqual([
      'patchListingsItem',
      'app-listings-patches',
    ]);
    expect(limitsOf(amazonSpApi(), 'GET /sellers/v1/account')).toEqual([]);
    expect(limitsOf(quickbooks(), 'POST /v3/company/42/batch')).toEqual(['minute', 'second', 'batches']);
  });

  it('are slowed down by the figures that their own answers give', () => {
    const headers = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '3', 'X-RateLimit-Retry-After': '17' };
    expect(told(mailerliteClassic(), 'POST /api/v2/subscribers', 200, headers).left).toEqual({ createSubscriber: 3 });
    expect(told(mailerliteClassic(), 'GET /api/v2/campaigns', 200, headers).left).toEqual({});
    expect(told(sendgrid(), 'GET /v3/messages', 200, headers).left).toEqual({ activity: 3 });
    expect(told(sendgrid(), 'POST /v3/mail/send', 200, headers).left).toEqual({});
    expect(told(lemlist(), 'GET /api/team', 200, headers).left).toEqual({ window: 3 });
  });
});

describe('refusals', () => {
  it('are taken for the limit that the provider names', () => {
    const daily = { 'X-Rate-Limit-Problem': 'Daily', 'Retry-After': '66975' };
    expect(told(xero(), 'GET /Invoices', 429, daily).refusedBy).toBe('day');
    expect(told(twilio(), 'POST /a', 429, {}, { code: 20429 }).refusedBy).toBe('concurrent');
    expect(told(twilio(), 'POST /a', 429, {}, { code: 60203 }).refusedBy).toBeNull();
    expect(told(quickbooks(), 'GET /a', 429, {}).refusedBy).toBe('minute');
  });
});
