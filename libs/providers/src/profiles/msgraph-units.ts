/** What a call costs in resource units of the directory ("identity and access"), and as a write. */
import type { RequestView } from '../../../core/src/index.js';

type Cost = readonly [method: string, path: RegExp, units: number];

const ID = '[^/]+';
const path = (text: string): RegExp => new RegExp(`^${text}/?$`, 'i');

/** The table of Microsoft; what is not in it costs 1. Paths under `me` hold for `users/{id}` too. */
const BASE: readonly Cost[] = [
  ['GET', path('/applications'), 2],
  ['GET', path(`/applications/${ID}/extensionProperties`), 2],
  ['GET', path('/contracts'), 3],
  ['POST', path('/directoryObjects/getByIds'), 3],
  ['GET', path(`/domains/${ID}/domainNameReferences`), 4],
  ['POST', path('/getObjectsById'), 3],
  ['GET', path(`/groups/${ID}/members`), 3],
  ['GET', path(`/groups/${ID}/transitiveMembers`), 5],
  ['POST', path('/isMemberOf'), 4],
  ['POST', path('/me/checkMember(?:Groups|Objects)'), 4],
  ['POST', path('/me/getMember(?:Groups|Objects)'), 2],
  ['GET', path('/me/(?:licenseDetails|memberOf|ownedObjects|transitiveMemberOf)'), 2],
  ['GET', path(`/oauth2PermissionGrants(?:/${ID})?`), 2],
  ['GET', path(`/servicePrincipals/${ID}/appRoleAssignments`), 2],
  ['GET', path('/subscribedSkus'), 3],
  ['GET', path('/users'), 2],
];

export function resourceUnits({ method, path: full, query }: RequestView): number {
  // What stands before the version is a proxy's.
  const plain = full.replace(/^.*?\/(?:v1\.0|beta)(?=\/)/, '');
  const asMe = plain.replace(/^\/users\/[^/]+(?=\/)/, '/me');
  const base = BASE.find(([of, fits]) => of === method && (fits.test(plain) || fits.test(asMe)))?.[2] ?? 1;
  const few = Number(query['$top']) < 20 ? 1 : 0;
  const less = (query['$select'] === undefined ? 0 : 1) + few;
  return Math.max(1, base - less + (query['$expand'] === undefined ? 0 : 1));
}

/** Posts that only ask are no writes. */
export function writes({ method, path: full }: RequestView): number {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return 0;
  return /\/(?:getByIds|getObjectsById|isMemberOf|checkMember\w+|getMember\w+|validateProperties)\/?$/i.test(full)
    ? 0
    : 1;
}
