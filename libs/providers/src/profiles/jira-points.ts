/** What a request costs at Jira Cloud, in points: one, and what each object of its answer costs. */
import type { AnswerView, RequestView } from '../../../core/src/index.js';

/** Asked by POST, paid for like a read. */
const ASKS = /\/(?:search(?:\/jql)?|bulkfetch)$/;
/** Users, groups, roles and permissions cost twice. */
const IDENTITY = /\/(?:users?|groups?|groupuserpicker|role|permissions|mypermissions|myself)\b/;
/** Lists whose pages have fifty objects where the request names no other number. */
const PAGES = /\/(?:search(?:\/jql)?|group\/member|(?:board|sprint|epic)\/[^/]+\/(?:issue|backlog))$/;
const PAGE = 50;
/** More than so many objects no page has. */
const LARGEST_PAGE = 5_000;
/** Where an answer has its list. */
const LISTS = ['issues', 'values', 'comments', 'worklogs', 'users', 'groups'];

type Fields = Readonly<Record<string, unknown>>;

const reads = ({ method, path }: RequestView): boolean => method === 'GET' || ASKS.test(path);
const fieldsOf = (body: unknown): Fields => (typeof body === 'object' && body !== null ? (body as Fields) : {});

function points(request: RequestView, objects: number): number {
  if (!reads(request)) return 1;
  return 1 + objects * (IDENTITY.test(request.path) ? 2 : 1);
}

/** As many objects as the answer may have, as far as the request tells; one at least. */
function asked({ path, query, body }: RequestView): number {
  const { maxResults, issueIdsOrKeys } = fieldsOf(body);
  if (Array.isArray(issueIdsOrKeys)) return Math.max(1, issueIdsOrKeys.length);
  const most = Number(query['maxResults'] ?? maxResults ?? (PAGES.test(path) ? PAGE : 1));
  return most >= 1 ? Math.min(Math.ceil(most), LARGEST_PAGE) : 1;
}

/** What must be left before it is sent. */
export const pointsBefore = (request: RequestView): number => points(request, asked(request));

/** What it did cost; undefined = as charged: a write, or an answer whose objects cannot be counted. */
export function pointsAfter({ status, body, request }: AnswerView): { points: number } | undefined {
  if (!reads(request)) return undefined;
  if (status !== 200) return { points: points(request, 1) };
  if (typeof body !== 'object' || body === null) return undefined;
  const fields = fieldsOf(body);
  const list = [body, ...LISTS.map((name) => fields[name])].find((each) => Array.isArray(each));
  return { points: points(request, list?.length ?? 1) };
}
