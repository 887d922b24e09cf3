import { tokenBucket } from '../../../core/src/index.js';
import { profile } from '../profile.js';

const ENDPOINT = {
  na: 'https://sellingpartnerapi-na.amazon.com',
  eu: 'https://sellingpartnerapi-eu.amazon.com',
  fe: 'https://sellingpartnerapi-fe.amazon.com',
} as const;

const OPERATIONS = {
  searchOrders: 'GET /orders/2026-01-01/orders',
  getOrders: 'GET /orders/v0/orders',
  getOrder: 'GET /orders/v0/orders/:id',
  getOrderItems: 'GET /orders/v0/orders/:id/orderItems',
  getReports: 'GET /reports/2021-06-30/reports',
  createReport: 'POST /reports/2021-06-30/reports',
  getReport: 'GET /reports/2021-06-30/reports/:id',
  getReportDocument: 'GET /reports/2021-06-30/documents/:id',
  createFeed: 'POST /feeds/2021-06-30/feeds',
  getFeed: 'GET /feeds/2021-06-30/feeds/:id',
  createFeedDocument: 'POST /feeds/2021-06-30/documents',
  searchCatalogItems: 'GET /catalog/2022-04-01/items',
  getCatalogItem: 'GET /catalog/2022-04-01/items/:asin',
  getListingsItem: 'GET /listings/2021-08-01/items/:seller/:sku',
  putListingsItem: 'PUT /listings/2021-08-01/items/:seller/:sku',
  patchListingsItem: 'PATCH /listings/2021-08-01/items/:seller/:sku',
  getInventorySummaries: 'GET /fba/inventory/v1/summaries',
  getPricing: 'GET /products/pricing/v0/price',
  getItemOffersBatch: 'POST /batches/products/pricing/v0/itemOffers',
  createRestrictedDataToken: 'POST /tokens/2021-03-01/restrictedDataToken',
} as const;

type Operation = keyof typeof OPERATIONS;

/** What holds for the app over all its sellers. */
const APP_LIMITS = [
  { name: 'app-catalog-searches', number: 'appCatalogSearches', operation: 'searchCatalogItems' },
  { name: 'app-catalog-items', number: 'appCatalogItems', operation: 'getCatalogItem' },
  { name: 'app-listings-reads', number: 'appListingsReads', operation: 'getListingsItem' },
  { name: 'app-listings-puts', number: 'appListingsPuts', operation: 'putListingsItem' },
  { name: 'app-listings-patches', number: 'appListingsPatches', operation: 'patchListingsItem' },
] as const satisfies readonly { name: string; number: string; operation: Operation }[];

const rate = (value: number) => ({ value, what: 'calls a second of that operation, for seller and app' });
const burst = (value: number) => ({ value, what: 'calls of that operation at once, for seller and app' });

export const AMAZON_SP_API = profile({
  name: 'amazon-sp-api',
  title: 'Amazon Selling Partner API',
  sources: [
    { url: 'https://developer-docs.amazon.com/sp-api/docs/usage-plans-and-rate-limits', checked: '2026-11-30' },
    { url: 'https://developer-docs.amazon.com/sp-api/docs/feeds-api-rate-limits', checked: '2026-11-30' },
    { url: 'https://developer-docs.amazon.com/sp-api/docs/catalog-items-api-rate-limits', checked: '2026-11-30' },
    { url: 'https://developer-docs.amazon.com/sp-api/docs/listings-items-api-rate-limits', checked: '2026-11-30' },
    { url: 'https://developer-docs.amazon.com/sp-api/docs/orders-api-rate-limits', checked: '2026-11-30' },
    { url: 'https://developer-docs.amazon.com/sp-api/reference/getitemoffersbatch', checked: '2026-11-30' },
    { url: 'https://developer-docs.amazon.com/sp-api/docs/tokens-api-rate-limits', checked: '2026-11-30' },
    {
      url: 'https://developer-docs.amazon.com/sp-api/changelog/update-starting-july-10th-2023-the-rate-for-the-getitemoffersbatch-operation-within-the-product-pricing-api-will-be-lowered',
      checked: '2026-11-30',
    },
    { url: 'https://github.com/amzn/selling-partner-api-models/tree/main/models', checked: '2026-11-30' },
  ],
  choices: {
    region: { values: ['na', 'eu', 'fe'], value: 'na', what: 'North America, Europe or the Far East' },
  },
  numbers: {
    searchOrdersRate: rate(0.0056),
    searchOrdersBurst: burst(20),
    getOrdersRate: rate(0.0167),
    getOrdersBurst: burst(20),
    getOrderRate: rate(0.5),
    getOrderBurst: burst(30),
    getOrderItemsRate: rate(0.5),
    getOrderItemsBurst: burst(30),
    getReportsRate: rate(0.0222),
    getReportsBurst: burst(10),
    createReportRate: rate(0.0167),
    createReportBurst: burst(15),
    getReportRate: rate(2),
    getReportBurst: burst(15),
    getReportDocumentRate: rate(0.0167),
    getReportDocumentBurst: burst(15),
    createFeedRate: rate(0.0083),
    createFeedBurst: burst(15),
    getFeedRate: rate(2),
    getFeedBurst: burst(15),
    createFeedDocumentRate: rate(0.5),
    createFeedDocumentBurst: burst(15),
    searchCatalogItemsRate: rate(2),
    searchCatalogItemsBurst: burst(2),
    getCatalogItemRate: rate(2),
    getCatalogItemBurst: burst(2),
    getListingsItemRate: rate(5),
    getListingsItemBurst: burst(5),
    putListingsItemRate: rate(5),
    putListingsItemBurst: burst(5),
    patchListingsItemRate: rate(5),
    patchListingsItemBurst: burst(5),
    getInventorySummariesRate: rate(2),
    getInventorySummariesBurst: burst(2),
    getPricingRate: rate(0.5),
    getPricingBurst: burst(1),
    getItemOffersBatchRate: rate(0.1),
    getItemOffersBatchBurst: burst(1),
    createRestrictedDataTokenRate: rate(1),
    createRestrictedDataTokenBurst: burst(10),
    appCatalogSearches: { value: 500, what: 'searches of the catalogue a second of the app, over all sellers' },
    appCatalogItems: { value: 250, what: 'items of the catalogue read a second of the app, over all sellers' },
    appListingsReads: { value: 100, what: 'listings read a second of the app, over all sellers' },
    appListingsPuts: { value: 100, what: 'listings put a second of the app, over all sellers' },
    appListingsPatches: { value: 500, what: 'listings patched a second of the app, over all sellers' },
  },
  contract: (chosen) => ({
    http: { baseURL: ENDPOINT[chosen.region as keyof typeof ENDPOINT] },
    dimensions: ['seller'],
    routes: { ...OPERATIONS },
    limits: [
      ...(Object.keys(OPERATIONS) as Operation[]).map((name) =>
        tokenBucket({
          name,
          burst: chosen[`${name}Burst`],
          limit: chosen[`${name}Rate`],
          per: '1s',
          routes: [name],
        }),
      ),
      // What is known of the app's buckets is their rate: they are taken to hold one second of it.
      ...APP_LIMITS.map(({ name, number, operation }) =>
        tokenBucket({
          name,
          burst: chosen[number],
          limit: chosen[number],
          per: '1s',
          routes: [operation],
          countedBy: [],
        }),
      ),
    ],
    safe: ['GET *', 'HEAD *', 'OPTIONS *', 'putListingsItem', 'getItemOffersBatch', 'createRestrictedDataToken'],
    pause: { initial: '2s' },
    reading: {
      windows: [{ scope: 'operation+account+app', perSecond: 'x-amzn-ratelimit-limit' }],
      rules: [{ when: { status: 429 }, kind: 'rate' }],
    },
  }),
  notes: {
    refused: [
      '429 with `errors[].code` = `QuotaExceeded`; only that operation, of that seller, is stopped',
      'Listings: the message tells whether the app, relationships or product data were too many',
    ],
    told: [
      '`x-amzn-RateLimit-Limit`: calls a SECOND as a decimal (`0.0167` = one a minute), the rate of seller and app; neither burst nor what is left',
      'Refusals no longer carry it, and it may be absent elsewhere; `Retry-After` is not documented',
    ],
    resend: [
      'A 429 has not run: safe to send again',
      'Reports and feeds whose creation was lost are looked up, not created again',
    ],
    traps: [
      'Amazon gives busy sellers higher rates: where the header shows another rate, give it',
      'Operations that are not among the routes have no limit here; their refusals pause the seller',
      'Several limits hold for one operation; the header tells the one of seller and app only',
      'The rate of an account may change by and by: dynamic usage plans',
      'createFeed has lower limits for some types of feeds',
      'Listings: updates of relationships, of product data and previews have lower limits of the app besides',
    ],
    unconfirmed: [
      'Bursts of the limits by app',
      'Listings: 5 at once by the page of limits, 10 by Amazon’s older models and clients made from them',
    ],
  },
});
