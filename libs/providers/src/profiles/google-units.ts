/** What a call costs in Google's quota units, by its method and path; pages of 2026. */
import type { RequestView } from '../../../core/src/index.js';

type Cost = readonly [method: string, path: RegExp, units: number];

/** The first that fits counts. */
const DRIVE: readonly Cost[] = [
  ['GET', /\/(?:files|changes|drives|permissions|comments|replies|revisions|apps)$/, 100],
  ['GET', /\/(?:export|download)$/, 200],
  ['GET', /./, 5],
  ['*', /\/(?:watch|stop|generateIds)$/, 5],
  ['POST', /\/download$/, 200],
  ['*', /./, 50],
];

const GMAIL: readonly Cost[] = [
  ['POST', /\/(?:messages|drafts)\/send$/, 100],
  ['POST', /\/messages(?:\/import)?$/, 25],
  ['POST', /\/messages\/batch(?:Delete|Modify)$/, 50],
  ['DELETE', /\/messages\/[^/]+$/, 10],
  ['PUT', /\/drafts\/[^/]+$/, 15],
  ['DELETE', /\/threads\/[^/]+$/, 20],
  ['*', /\/threads(?:\/|$)/, 10],
  ['POST', /\/drafts$/, 10],
  ['DELETE', /\/drafts\/[^/]+$/, 10],
  ['GET', /\/history$/, 2],
  ['GET', /\/(?:profile|labels(?:\/[^/]+)?)$/, 1],
  ['GET', /\/settings\//, 1],
  ['POST', /\/settings\/(?:delegates|forwardingAddresses|sendAs)$/, 100],
  ['PUT', /\/settings\/sendAs\//, 100],
  ['PATCH', /\/settings\/sendAs\//, 100],
  ['POST', /\/watch$/, 100],
  ['POST', /\/stop$/, 50],
  ['*', /./, 5],
];

const CALENDAR: readonly Cost[] = [['*', /./, 1]];

export const GOOGLE_COSTS = { drive: DRIVE, gmail: GMAIL, calendar: CALENDAR };

export function googleUnits(costs: readonly Cost[], { method, path, query }: RequestView): number {
  if (method === 'GET' && query['alt'] === 'media') return 200;
  const plain = path.replace(/\/$/, '');
  return costs.find(([of, fits]) => (of === '*' || of === method) && fits.test(plain))?.[2] ?? 1;
}
