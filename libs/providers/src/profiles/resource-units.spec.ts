import type { RequestView } from '../../../core/src/index.js';
import { google, msgraph, pipedrive, sharepoint } from '../index.js';

/** `GET /users?$top=5`, as `units` sees it. */
function request(text: string): RequestView {
  const [method = '', target = ''] = text.split(' ');
  const url = new URL(target, 'https://api.example');
  return {
    method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: {},
    body: undefined,
    route: null,
  };
}

describe('a call of Drive', () => {
  const { units } = google().resolved.options;

  it.each([
    ['GET /drive/v3/files/1', 5],
    ['GET /drive/v3/files', 100],
    ['GET /drive/v3/files/', 100],
    ['GET /drive/v3/files/1/permissions', 100],
    ['GET /drive/v3/files/1?alt=media', 200],
    ['GET /drive/v3/files/1/export?mimeType=text/plain', 200],
    ['PATCH /drive/v3/files/1', 50],
    ['POST /upload/drive/v3/files', 50],
    ['GET /drive/v3/files/generateIds', 5],
    ['POST /drive/v3/channels/stop', 5],
  ])('%s costs %d units', (text, cost) => {
    expect(units?.(request(text))).toEqual({ units: cost });
  });
});

describe('a call of Gmail', () => {
  const { units } = google({ api: 'gmail' }).resolved.options;

  it.each([
    ['POST /gmail/v1/users/me/messages/send', 100],
    ['POST /gmail/v1/users/me/drafts/send', 100],
    ['POST /gmail/v1/users/me/drafts', 10],
    ['PUT /gmail/v1/users/me/drafts/1', 15],
    ['GET /gmail/v1/users/me/messages', 5],
    ['GET /gmail/v1/users/me/messages/1', 5],
    ['GET /gmail/v1/users/me/messages/1/attachments/2', 5],
    ['DELETE /gmail/v1/users/me/messages/1', 10],
    ['POST /gmail/v1/users/me/messages/1/modify', 5],
    ['POST /gmail/v1/users/me/messages', 25],
    ['POST /gmail/v1/users/me/messages/batchModify', 50],
    ['GET /gmail/v1/users/me/threads/1', 10],
    ['DELETE /gmail/v1/users/me/threads/1', 20],
    ['GET /gmail/v1/users/me/labels', 1],
    ['POST /gmail/v1/users/me/labels', 5],
    ['GET /gmail/v1/users/me/history', 2],
    ['GET /gmail/v1/users/me/profile', 1],
    ['POST /gmail/v1/users/me/settings/delegates', 100],
    ['GET /gmail/v1/users/me/settings/filters', 1],
  ])('%s costs %d units', (text, cost) => {
    expect(units?.(request(text))).toEqual({ units: cost });
  });
});

it('a call of Calendar is one, whatever it is', () => {
  const { units } = google({ api: 'calendar' }).resolved.options;
  expect(units?.(request('GET /calendar/v3/calendars/primary/events'))).toEqual({ units: 1 });
  expect(units?.(request('DELETE /calendar/v3/calendars/primary/events/1'))).toEqual({ units: 1 });
});

describe('a call of the directory of Microsoft Graph', () => {
  const { units } = msgraph().resolved.options;

  it.each([
    ['GET /v1.0/users', 2, 0],
    ['GET /v1.0/users?$select=id', 1, 0],
    ['GET /v1.0/users?$top=5&$select=id', 1, 0],
    ['GET /v1.0/users?$expand=manager', 3, 0],
    ['GET /beta/groups/1/transitiveMembers', 5, 0],
    ['GET /v1.0/groups/1/transitiveMembers?$top=10&$select=id', 3, 0],
    ['GET /v1.0/users/1/memberOf', 2, 0],
    ['POST /v1.0/users/1/checkMemberGroups', 4, 0],
    ['POST /v1.0/directoryObjects/getByIds', 3, 0],
    ['GET /v1.0/devices/1', 1, 0],
    ['PATCH /v1.0/users/1', 1, 1],
    ['DELETE /v1.0/groups/1', 1, 1],
  ])('%s costs %d resource units and %d writes', (text, cost, writes) => {
    expect(units?.(request(text))).toEqual({ 'resource-units': cost, writes });
  });
});

describe('a call of SharePoint', () => {
  const { units } = sharepoint().resolved.options;

  it.each([
    ['GET /v1.0/drives/1/items/2', 1],
    ['GET /v1.0/drives/1/items/2/content', 1],
    ['GET /v1.0/drives/1/items/2/children', 2],
    ['GET /v1.0/drives/1/root/delta', 2],
    ['GET /v1.0/drives/1/root/delta?token=latest', 1],
    ['PATCH /v1.0/drives/1/items/2', 2],
    ['GET /v1.0/drives/1/items/2/permissions', 5],
    ['GET /v1.0/drives/1/items/2?$expand=permissions', 5],
    ['GET /sites/team/_api/web/title', 2],
  ])('%s costs %d resource units', (text, cost) => {
    expect(units?.(request(text))).toEqual({ 'resource-units': cost });
  });
});

describe('a call of Pipedrive', () => {
  const { units } = pipedrive().resolved.options;

  it.each([
    ['GET /api/v1/deals/7', 2],
    ['GET /api/v1/deals', 20],
    ['PUT /api/v1/deals/7', 10],
    ['DELETE /api/v1/deals/7', 6],
    ['DELETE /api/v1/deals', 10],
    ['GET /api/v1/deals/search', 40],
    ['GET /api/v2/deals', 10],
    ['POST /api/v2/deals', 5],
    ['DELETE /api/v2/deals/7', 3],
    ['GET /api/v2/itemSearch', 20],
  ])('%s costs %d tokens', (text, cost) => {
    expect(units?.(request(text))).toEqual({ tokens: cost });
  });
});
